#include "dgfem/mesh/gambit_reader.h"

#include <gtest/gtest.h>

#include <regex>

#include "dgfem/mesh/read_mesh.h"
#include "mesh_text.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

/// Two triangles of the unit square in two groups; the lower side is named "Cyl 0.5" and the right one "out".
const std::string square = R"(        CONTROL INFO 1.3.
** GAMBIT NEUTRAL FILE
square
PROGRAM:                Gambit     VERSION:  1.3.
 9 Apr 2001    10:50:07
     NUMNP     NELEM     NGRPS    NBSETS     NDFCD     NDFVL
         4         2         2         5         2         2
ENDOFSECTION
   NODAL COORDINATES 1.3.
         1  0.0000000e+000  0.0000000e+000
         2  1.0000000e+000  0.0000000e+000
         3  1.0000000e+000  1.0000000e+000
         4  0.0000000e+000  1.0000000e+000
ENDOFSECTION
      ELEMENTS/CELLS 1.3.
       1  3  3        1       2       3
       2  3  3        1       3       4
ENDOFSECTION
       ELEMENT GROUP 1.3.
GROUP:           1 ELEMENTS:          1 MATERIAL:      1.000 NFLAGS:          0
                  epsilon: 1.000
       0
       1
ENDOFSECTION
       ELEMENT GROUP 1.3.
GROUP:           2 ELEMENTS:          1 MATERIAL:          2 NFLAGS:          1
                           solid
       0
       2
ENDOFSECTION
 BOUNDARY CONDITIONS 1.3.
   Cyl 0.5          1       1       0       6
         1    3    1
ENDOFSECTION
 BOUNDARY CONDITIONS 1.3.
                             out       1       2       1       6
         1    3    2    7.5
         2    3    1    7.5
ENDOFSECTION
)";

Mesh parse(const std::string& text) {
  return assemble(read_gambit(text, "m.neu"));
}

std::string replaced(const std::string& what, const std::string& with) {
  std::string text = square;
  const std::size_t place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return text.replace(place, what.size(), with);
}

TEST(GambitReader, ReadsGroupsAndBoundaryNamesWithBlanks) {
  const Mesh mesh = parse(square);
  EXPECT_EQ(mesh.type, ElementType::triangle);
  ASSERT_EQ(mesh.size(), 2u);
  EXPECT_DOUBLE_EQ(total_measure(mesh), 1);
  EXPECT_EQ(mesh.regions[static_cast<std::size_t>(mesh.region_of[0])].text(), "epsilon: 1.000");
  EXPECT_EQ(mesh.regions[static_cast<std::size_t>(mesh.region_of[1])].text(), "solid");
  ASSERT_EQ(mesh.boundary_of.size(), 3u);
  EXPECT_EQ(mesh.boundaries[static_cast<std::size_t>(mesh.boundary_of[0])].text(), "Cyl 0.5");
  EXPECT_EQ(mesh.boundaries[static_cast<std::size_t>(mesh.boundary_of[1])].text(), "out");
  // Side 1 of element 1 is the lower one, side 2 the right one.
  EXPECT_EQ(mesh.tagged_faces, (std::vector<std::int32_t>{0, 1, 1, 2, 0, 2}));
}

TEST(GambitReader, BearsLineEndsAMissingBoundaryAndASpoiledHeader) {
  const std::string dos = std::regex_replace(square, std::regex("\n"), "\r\n");
  EXPECT_EQ(parse(dos).elements, parse(square).elements);
  const Mesh bare = parse(square.substr(0, square.find(" BOUNDARY")));
  EXPECT_TRUE(bare.boundaries.empty());
  const Mesh spoiled =
      parse(replaced("     NUMNP     NELEM     NGRPS    NBSETS     NDFCD     NDFVL\n", "  NMNP NELM ?\n"));
  EXPECT_EQ(spoiled.elements, parse(square).elements);
}

TEST(GambitReader, SaysWhatIsWrongAndWhere) {
  EXPECT_MESSAGE(InputError, "m.neu:3: a Gambit neutral file begins with CONTROL INFO", parse("a\nb\nENDOFSECTION\n"));
  EXPECT_MESSAGE(InputError, "m.neu:16: there is no node 9",
                 parse(replaced("1       2       3\n", "1       2       9\n")));
  EXPECT_MESSAGE(InputError, "m.neu:16: an element of type 2 with 4 nodes", parse(replaced("1  3  3 ", "1  2  4 ")));
  EXPECT_MESSAGE(InputError, "m.neu:33: face 4 of an element that has 3",
                 parse(replaced("1    3    1\n", "1    3    4\n")));
  EXPECT_MESSAGE(InputError, "m.neu:32: a boundary given by nodes",
                 parse(replaced("1       1       0       6", "0       1       0       6")));
  EXPECT_MESSAGE(InputError, "m.neu:32: a boundary's header should end in four numbers",
                 parse(replaced("1       1       0       6", "1       1       0       x")));
  EXPECT_MESSAGE(InputError, "m.neu:33: there is no element 8", parse(replaced("1    3    1\n", "8    3    1\n")));
  EXPECT_MESSAGE(InputError, "1 elements are promised, 0 numbers", parse(replaced("       0\n       1\n", "")));
  EXPECT_MESSAGE(InputError, "ENDOFSECTION should stand here",
                 parse(replaced("         4         2 ", "         3         2 ")));
  EXPECT_MESSAGE(InputError, "m.neu:10: a coordinate should be a number", parse(replaced("0.0000000e+000 ", "zero ")));
  EXPECT_MESSAGE(InputError, "ends without ELEMENTS/CELLS", parse(square.substr(0, square.find("      ELEMENTS/"))));
  EXPECT_MESSAGE(InputError, "should stand", parse(square.substr(0, square.find(" BOUNDARY") - 20)));
}

TEST(GambitReader, ReadsTheNodalDgMeshes) {
  if (!std::filesystem::exists(shared_mesh("cube.neu"))) GTEST_SKIP() << "there is no data folder";
  const struct {
    const char* name;
    std::size_t elements, faces;
    double measure;
    const char* boundary;
  } expected[] = {{"Maxwell1.neu", 8, 0, 4, ""},           {"Maxwell05.neu", 46, 0, 4, ""},
                  {"Maxwell025.neu", 146, 0, 4, ""},       {"Maxwell0125.neu", 568, 0, 4, ""},
                  {"vortexA04.neu", 256, 32, 100, "Wall"}, {"cubeK268.neu", 268, 156, 1, "Wall"},
                  {"cube.neu", 1585, 526, 8, "pec"}};
  for (const auto& file : expected) {
    const Mesh mesh = read_mesh(shared_mesh(file.name));
    EXPECT_EQ(mesh.size(), file.elements) << file.name;
    EXPECT_EQ(mesh.boundary_of.size(), file.faces) << file.name;
    EXPECT_NEAR(total_measure(mesh), file.measure, 1e-9) << file.name;
    if (file.faces > 0) {
      EXPECT_EQ(mesh.boundaries[0].text(), file.boundary);
    }
    EXPECT_TRUE(mesh.remarks.empty()) << file.name << ": " << mesh.remarks[0];
  }
}

}  // namespace
}  // namespace rtcg::dgfem
