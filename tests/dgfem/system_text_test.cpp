#include "dgfem/system_text.h"

#include <gmock/gmock.h>

#include "dgfem/system_file.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class SystemTextTest : public testing::Test {
 protected:
  const System& system_ = *shipped_system("acoustics", 2);
  std::map<std::string, double> parameters_{{"alpha", 1}};

  SystemText text(const BoundaryCondition& condition, std::vector<std::vector<double>> regions = {}) const {
    if (regions.empty()) regions = {system_.region_values({})};
    return system_text(system_, std::vector{condition}, parameters_, regions, ScalarType::f64);
  }
  std::string message(const BoundaryCondition& condition) const {
    try {
      text(condition);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(SystemTextTest, UnknownKindsListThoseThereAre) {
  EXPECT_EQ(message({"pec", {}}),
            "the system 'acoustics' has no boundary of kind 'pec': it has rigid, "
            "pressure_release, absorbing, impedance, incident, exact");
}

TEST_F(SystemTextTest, MissingAndSurplusFormulasAreNamed) {
  EXPECT_EQ(message({"exact", {{"p", "1"}, {"v", "0"}}}),
            "a boundary of kind 'exact' needs a formula for 'u'; it takes p, u, v");
  EXPECT_EQ(message({"rigid", {{"p", "1"}}}), "a boundary of kind 'rigid' takes no 'p': it takes nothing");
  EXPECT_EQ(message({"impedance", {{"impedance", "1"}, {"Z", "1"}}}),
            "a boundary of kind 'impedance' takes no 'Z': it takes impedance");
}

TEST_F(SystemTextTest, FormulasOfACaseShowACaret) {
  EXPECT_THAT(message({"exact", {{"p", "sin(x) + q"}, {"u", "0"}, {"v", "0"}}}),
              AllOf(StartsWith("boundary 'exact', p: "), HasSubstr("'q' means nothing here; there are "),
                    HasSubstr("sin(x) + q\n"), HasSubstr("\n           ^")));
  EXPECT_THAT(message({"exact", {{"p", "sin(x"}, {"u", "0"}, {"v", "0"}}}),
              AllOf(StartsWith("boundary 'exact', p: "), HasSubstr("^")));
  try {
    field_function("initial", system_, {{"p", "exp(-x * x"}}, parameters_, ScalarType::f64);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith("p: "), HasSubstr("^")));
  }
  try {
    field_function("initial", system_, {{"Ez", "1"}}, parameters_, ScalarType::f64);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the system 'acoustics' has no field 'Ez': it has p, u, v");
  }
}

TEST_F(SystemTextTest, MaterialsAreLiteralsInOneRegionAndRowsInTwo) {
  const std::vector<double> air = system_.region_values({{"rho", 1.25}, {"c", 340}}),
                            water = system_.region_values({{"rho", 1000}, {"c", 1500}});
  const SystemText one = text({"rigid", {}}, {air}), two = text({"rigid", {}}, {air, water});
  EXPECT_EQ(one.functions.find("material["), std::string::npos);
  EXPECT_THAT(one.functions, HasSubstr("- (real)0x1.1a3ap+17 * derivative[1]"));  // 144500
  EXPECT_THAT(two.functions, HasSubstr("material["));
  ASSERT_EQ(two.rows.size(), 2u);
  // rho, c, Z, bulk, 1 / rho; bulk and 1 / rho again as coefficients of the fluxes.
  EXPECT_THAT(two.rows[1], testing::ElementsAre(1000, 1500, 1.5e6, 2.25e9, 1e-3, 2.25e9, 1e-3));
}

TEST_F(SystemTextTest, SourcesThatVanishInEveryRegionLeaveNoWork) {
  const System& maxwell = *shipped_system("maxwell", 3);
  const auto source = [&](double sigma) {
    const std::vector<std::vector<double>> regions{maxwell.region_values({}),
                                                   maxwell.region_values({{"sigma", sigma}})};
    return system_text(maxwell, {}, parameters_, regions, ScalarType::f32).functions;
  };
  EXPECT_THAT(source(0), HasSubstr("#define DG_HAS_SOURCE 0"));
  EXPECT_THAT(source(2), HasSubstr("#define DG_HAS_SOURCE 1"));
}

TEST_F(SystemTextTest, OnlyFormulasOfACaseAskForThePlace) {
  EXPECT_THAT(text({"rigid", {}}).functions, HasSubstr("#define DG_BOUNDARY_USES_PLACE 0"));
  EXPECT_THAT(text({"impedance", {{"impedance", "1 + x"}}}).functions, HasSubstr("#define DG_BOUNDARY_USES_PLACE 1"));
}

}  // namespace
}  // namespace rtcg::dgfem
