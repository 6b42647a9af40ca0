// A cylinder of radius 1 and height 0.5 for its lowest mode; curved elements of order 3:
//   gmsh -3 -order 3 -format msh41 cylinder.geo
SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 0.5, 1};
MeshSize{:} = 0.55;
Mesh.RandomSeed = 1;
Physical Volume("vacuum") = {1};
Physical Surface("wall") = {1, 2, 3};
