// A square of edge 4 around a round obstacle of radius 0.4; curved elements of order 3:
//   gmsh -2 -order 3 -format msh41 obstacle.geo
SetFactory("OpenCASCADE");
Rectangle(1) = {-2, -2, 0, 4, 4};
Disk(2) = {0, 0, 0, 0.4};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
MeshSize{:} = 0.35;
Mesh.RandomSeed = 1;
round() = Curve In BoundingBox{-0.5, -0.5, -1, 0.5, 0.5, 1};
outer() = Curve{:};
outer() -= round();
Physical Surface("air") = {3};
Physical Curve("obstacle") = round();
Physical Curve("outer") = outer();
