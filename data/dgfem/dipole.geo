// A cube of edge 2 inside an absorbing layer of thickness 0.6:
//   gmsh -3 -format msh41 dipole.geo
SetFactory("OpenCASCADE");
Box(1) = {-1, -1, -1, 2, 2, 2};
Box(2) = {-1.6, -1.6, -1.6, 3.2, 3.2, 3.2};
BooleanFragments{ Volume{2}; Delete; }{ Volume{1}; Delete; }
MeshSize{:} = 0.45;
Mesh.RandomSeed = 1;
inside() = Volume In BoundingBox{-1.1, -1.1, -1.1, 1.1, 1.1, 1.1};
layer() = Volume{:};
layer() -= inside();
outer() = CombinedBoundary{ Volume{:}; };
Physical Volume("inside") = inside();
Physical Volume("layer") = layer();
Physical Surface("outer") = outer();
