// A dielectric slab from x = 0 to 1 between two pieces of vacuum, one period of 0.5 across:
//   gmsh -2 -format msh41 slab.geo
SetFactory("OpenCASCADE");
Rectangle(1) = {-2, 0, 0, 2, 0.5};
Rectangle(2) = {0, 0, 0, 1, 0.5};
Rectangle(3) = {1, 0, 0, 2, 0.5};
Coherence;
MeshSize{:} = 0.125;
Mesh.RandomSeed = 1;
bottom() = Curve In BoundingBox{-2.1, -0.01, -1, 3.1, 0.01, 1};
top() = Curve In BoundingBox{-2.1, 0.49, -1, 3.1, 0.51, 1};
Periodic Curve{top()} = {bottom()} Translate{0, 0.5, 0};
Physical Surface("vacuum") = {1, 3};
Physical Surface("slab") = {2};
Physical Curve("bottom") = bottom();
Physical Curve("top") = top();
Physical Curve("left") = Curve In BoundingBox{-2.01, -0.1, -1, -1.99, 0.6, 1};
Physical Curve("right") = Curve In BoundingBox{2.99, -0.1, -1, 3.01, 0.6, 1};
