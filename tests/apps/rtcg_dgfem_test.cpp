// rtcg-dgfem as a script sees it: command lines, exit codes, files, JSON.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

/// Two tetrahedra of the unit cube's corner and its opposite, joined at one face, or each with nodes of its own.
std::string two_tetrahedra(bool joined) {
  return std::string(
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 \"upper\"\n3 2 \"lower\"\n2 1 \"wall\"\n"
             "$EndPhysicalNames\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 0 0 0\n7 1 0 0\n8 0 1 0\n"
             "$EndNodes\n$Elements\n3\n1 4 2 1 1 1 2 3 4\n2 4 2 2 1 ") +
         (joined ? "1 3 2 5" : "6 8 7 5") + "\n3 2 2 1 1 1 2 4\n$EndElements\n";
}

class DgfemCommand : public testing::Test {
 protected:
  void SetUp() override {
    binary_ = test::built_binary("rtcg-dgfem").string();
    ASSERT_TRUE(std::filesystem::exists(binary_)) << binary_;
    write_bytes(file("m.msh"), two_tetrahedra(true));
    write_bytes(file("apart.msh"), two_tetrahedra(false));
  }
  std::string file(const std::string& name) const { return (scratch_ / name).string(); }
  test::ProcessResult mesh(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "mesh");
    return test::run_process(binary_, arguments);
  }
  nlohmann::json json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", "-"});
    const test::ProcessResult result = mesh(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }

  ScratchDirectory scratch_;
  std::string binary_;
};

TEST_F(DgfemCommand, InfoNamesRegionsBoundariesAndQuality) {
  const nlohmann::json info = json({"info", file("m.msh")});
  EXPECT_EQ(info["element"], "tetrahedron");
  EXPECT_EQ(info["elements"], 2);
  EXPECT_NEAR(info["volume"].get<double>(), 1.0 / 3, 1e-15);
  EXPECT_EQ(info["regions"][0]["names"][0], "upper");
  EXPECT_NEAR(info["regions"][1]["volume"].get<double>(), 1.0 / 6, 1e-15);
  EXPECT_EQ(info["boundaries"][0]["faces"], 1);
  EXPECT_NEAR(info["boundaries"][0]["area"].get<double>(), 0.5, 1e-15);
  EXPECT_EQ(info["boundary_faces"], 6);
  EXPECT_EQ(info["unnamed_boundary_faces"], 5);
  EXPECT_TRUE(info["errors"].empty());
  const test::ProcessResult text = mesh({"info", file("m.msh")});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("region       lower: 1 elements, volume 0.166667"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("points belong to no element"), std::string::npos) << text.out;
}

TEST_F(DgfemCommand, CheckSaysWhetherAMeshCanBeUsed) {
  EXPECT_EQ(json({"check", file("m.msh")})["usable"], true);
  const test::ProcessResult apart = mesh({"check", file("apart.msh"), "--json", file("check.json")});
  EXPECT_EQ(apart.exit_code, 3);
  EXPECT_NE(apart.err.find("two volumes touch at 1 faces without sharing their 3 nodes"), std::string::npos)
      << apart.err;
  const auto written = nlohmann::json::parse(read_bytes(file("check.json")));
  EXPECT_EQ(written["usable"], false);
  EXPECT_EQ(written["errors"].size(), 1u);
}

TEST_F(DgfemCommand, ConvertKeepsTheMeshAndCanMergeIt) {
  for (const char* name : {"o.msh", "o.vtu"}) {
    const test::ProcessResult converted = mesh({"convert", file("apart.msh"), "-o", file(name), "--merge"});
    if (converted.err.find("has no VTK") != std::string::npos) continue;
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    const nlohmann::json info = json({"info", file(name)});
    EXPECT_EQ(info["points"], 5);
    EXPECT_EQ(info["boundary_faces"], 6);
    EXPECT_EQ(info["regions"][1]["names"][0], "lower");
    EXPECT_EQ(info["boundaries"][0]["names"][0], "wall");
    EXPECT_EQ(json({"check", file(name)})["usable"], true);
  }
  EXPECT_EQ(json({"convert", file("m.msh"), "-o", file("b.msh"), "--binary", "--reorder"})["elements"], 2);
  EXPECT_EQ(json({"info", file("b.msh")})["elements"], 2);
}

TEST_F(DgfemCommand, RefusesWhatMakesNoSense) {
  const auto fails = [&](const std::vector<std::string>& arguments, int code, const std::string& message) {
    const test::ProcessResult result = mesh(arguments);
    EXPECT_EQ(result.exit_code, code) << result.out << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  fails({"convert", file("m.msh"), "-o", file("o.stl")}, 2, "should be .msh (Gmsh 4.1) or .vtu (VTK)");
  fails({"convert", file("m.msh"), "-o", file("m.msh")}, 2, "is the mesh itself");
  fails({"convert", file("m.msh"), "-o", file("o.vtu"), "--binary"}, 2, "--binary is for .msh");
  fails({"info", file("m.msh"), "--json", file("m.msh")}, 2, "is the mesh itself");
  fails({"convert", file("m.msh"), "-o", file("o.msh"), "--periodic", "wall", "left"}, 3,
        "no boundary \"left\" (there are: wall)");
  fails({"info", file("none.msh")}, 3, "none.msh: cannot be read");
  write_bytes(file("m.stl"), "solid\n");
  fails({"info", file("m.stl")}, 3, "not a mesh that can be read");
  write_bytes(file("bad.msh"), two_tetrahedra(true).replace(160, 5, "x y z"));
  fails({"check", file("bad.msh")}, 3, "bad.msh:");
  EXPECT_EQ(read_bytes(file("m.msh")), two_tetrahedra(true));
}

}  // namespace
}  // namespace rtcg
