#include "dgfem/system_file.h"

#include <gmock/gmock.h>

#include "rtcg/error.h"

namespace rtcg::dgfem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Sound along and across a channel that carries it away, with most that a system can have.
const std::string sound = R"toml(name = "sound"
dimension = 2
fields = ["p", "u", "v"]
vectors = { velocity = ["u", "v"] }
constants = ["bulk = rho * c * c", "Z = bulk / c"]
let = ["loss = rate * p"]
speed = "c"
energy = "0.5 * (p * p / bulk + rho * (u * u + v * v))"
[materials]
rho = 1.25
c = 340.0
[parameters]
rate = 0.5
[flux]
p = ["bulk * u", "bulk * v"]
u = ["p / rho", "0"]
v = ["0", "p / rho"]
[source]
p = "-loss"
[surface]
let = ["normal = nx * jump_u + ny * jump_v", "lost = jump_p - Z_out * normal"]
[surface.penalty]
p = "0.5 * lost"
u = "-0.5 * nx * lost / Z_in"
v = "-0.5 * ny * lost / Z_in"
[boundaries.driven]
given = ["drive"]
let = ["twice = 2 * drive"]
outer = { p = "twice - p_in" }
parameters = { rate = 0.0 }
)toml";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = sound;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message(const std::string& text) {
  try {
    read_system(text, "sound.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SystemFile, KeepsWhatItSays) {
  const System system = read_system(sound, "sound.toml");
  EXPECT_EQ(system.name, "sound");
  EXPECT_EQ(system.dimension, 2);
  EXPECT_THAT(system.fields, ElementsAre("p", "u", "v"));
  EXPECT_THAT(system.vectors.at(0).fields, ElementsAre(1, 2));
  EXPECT_THAT(system.flux.at(1), ElementsAre("bulk * v", "0", "p / rho"));
  EXPECT_THAT(system.source, ElementsAre("-loss", "", ""));
  EXPECT_THAT(system.boundaries.at(0).outer, ElementsAre("twice - p_in", "u_in", "v_in"));
  EXPECT_EQ(system.boundaries.at(0).parameters.at("rate"), 0);
  EXPECT_THAT(system.region_values({{"rho", 2}}), ElementsAre(2, 340, 231200, 680));
  EXPECT_EQ(system.wave_speed(system.region_values({{"c", 3}}), {{"rate", 1}}), 3);
  EXPECT_TRUE(system.is_linear());
  EXPECT_FALSE(read_system(replaced("\"p / rho\", \"0\"", "\"p / rho\", \"u * u\""), "").is_linear());
  EXPECT_FALSE(read_system(replaced("\"p / rho\", \"0\"", "\"p / rho\", \"1\""), "").is_linear());
}

TEST(SystemFile, ShippedSystemsAreThere) {
  EXPECT_THAT(shipped_systems(2), ElementsAre("acoustics", "advection", "euler", "maxwell_te", "maxwell_tm"));
  EXPECT_THAT(shipped_systems(3), ElementsAre("acoustics", "advection", "euler", "maxwell"));
  EXPECT_EQ(shipped_system("maxwell", 3)->fields.size(), 6u);
  try {
    shipped_system("maxwell", 2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no 2-dimensional system 'maxwell'; there are acoustics, advection, euler, "
                 "maxwell_te, maxwell_tm");
  }
}

TEST(SystemFile, UnknownNamesShowLineAndCaret) {
  EXPECT_THAT(
      message(replaced("bulk * v\"]", "bulk * w\"]")),
      AllOf(StartsWith("sound.toml:15: flux.p: "), HasSubstr("there is no 'w'; there are p, u, v, rho, c, bulk, Z"),
            HasSubstr("bulk * w\n"), HasSubstr("\n         ^")));
  EXPECT_THAT(message(replaced("0.5 * lost\"", "0.5 * lots\"")),
              AllOf(StartsWith("sound.toml:23: surface.penalty.p: "), HasSubstr("'lots'"), HasSubstr("jump_p")));
  EXPECT_THAT(message(replaced("nx * jump_u +", "nz * jump_u +")), AllOf(HasSubstr("'nz'"), HasSubstr("surface.let")));
  EXPECT_THAT(message(replaced("twice - p_in", "twice - p_out")), HasSubstr("there is no 'p_out'"));
  EXPECT_THAT(message(replaced("bulk = rho * c * c", "bulk = rho * c * u")), HasSubstr("constants: "));
  EXPECT_THAT(message(replaced("bulk / c", "bulk / Y")), HasSubstr("there are rho, c, bulk"));
  EXPECT_THAT(message(replaced("speed = \"c\"", "speed = \"cc\"")), StartsWith("sound.toml:7: speed: "));
  EXPECT_THAT(message(replaced("-loss", "-los")), HasSubstr("source.p: "));
  EXPECT_THAT(message(replaced("2 * drive", "2 * driven")), HasSubstr("boundaries.driven.let: "));
}

TEST(SystemFile, FormulasThatCannotBeReadShowACaret) {
  EXPECT_THAT(message(replaced("bulk * v\"]", "bulk * (v\"]")), AllOf(StartsWith("sound.toml:15: "), HasSubstr("^")));
  EXPECT_THAT(message(replaced("rho * c * c", "rho * c ^ 2")), HasSubstr("pow"));
  EXPECT_THAT(message(replaced("loss = rate * p", "loss rate * p")),
              HasSubstr("is not of the form \"name = formula\""));
}

TEST(SystemFile, FluxesAreCounted) {
  EXPECT_THAT(message(replaced("p = [\"bulk * u\", \"bulk * v\"]", "p = [\"bulk * u\"]")),
              HasSubstr("flux.p: 2 formulas are needed, the fluxes of p along x, y"));
  EXPECT_THAT(message(replaced("v = [\"0\", \"p / rho\"]\n", "")), HasSubstr("the fluxes of v along x, y"));
  EXPECT_THAT(message(replaced("v = \"-0.5 * ny * lost / Z_in\"\n", "")), HasSubstr("the formula for v is missing"));
  EXPECT_THAT(message(replaced("[source]\np", "[source]\nq")), HasSubstr("there is no such key; the nearest is \"p\""));
}

TEST(SystemFile, NamesAreCheckedOnce) {
  EXPECT_THAT(message(replaced("[\"p\", \"u\", \"v\"]", "[\"p\", \"u\", \"u\"]")), HasSubstr("\"u\" is there already"));
  EXPECT_THAT(message(replaced("rate = 0.5", "rho = 0.5")), HasSubstr("\"rho\" is there already"));
  EXPECT_THAT(message(replaced("lost = jump", "normal = jump")), HasSubstr("\"normal\" is there already"));
  for (const char* reserved : {"x", "t", "nx", "rho_in", "jump_p"})
    EXPECT_THAT(message(replaced("rate = 0.5", std::string(reserved) + " = 0.5")), HasSubstr("has a meaning"));
  for (const char* none : {"float", "pi", "true", "INFINITY"})
    EXPECT_THAT(message(replaced("rate = 0.5", std::string(none) + " = 0.5")), HasSubstr("cannot be a name")) << none;
  EXPECT_THAT(message(replaced("rate = 0.5", "\"a b\" = 0.5")), HasSubstr("\"a b\" cannot be a name"));
  EXPECT_THAT(message(replaced("[\"drive\"]", "[\"p_in\"]")), HasSubstr("given: \"p_in\" is there already"));
}

TEST(SystemFile, LimitsAndMissingParts) {
  std::string many = "\"f0\"";
  for (int f = 1; f < 17; ++f) many += ", \"f" + std::to_string(f) + "\"";
  EXPECT_THAT(message(replaced("\"p\", \"u\", \"v\"", many)), HasSubstr("sound.toml:3: fields: at most 16 fields"));
  EXPECT_THAT(message(replaced("dimension = 2", "dimension = 1")), StartsWith("sound.toml:2: dimension: "));
  EXPECT_THAT(message(replaced("dimension = 2\n", "")), HasSubstr("2 or 3 is needed"));
  EXPECT_THAT(message(replaced("speed = \"c\"\n", "")), HasSubstr("speed: a text is needed"));
  EXPECT_THAT(message(replaced("[\"u\", \"v\"] }", "[\"u\", \"w\"] }")), HasSubstr("there is no field \"w\""));
  EXPECT_THAT(message(replaced("{ rate = 0.0 }", "{ rat = 0.0 }")), HasSubstr("the system has no such parameter"));
  EXPECT_THAT(message(replaced("outer =", "outr =")), HasSubstr("the nearest is \"outer\""));
  EXPECT_THAT(message("name = [1"), StartsWith("sound.toml:1: "));
}

TEST(SystemFile, MaterialsAreNamed) {
  const System system = read_system(sound, "sound.toml");
  try {
    system.region_values({{"roh", 2}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the system 'sound' has no material constant 'roh': it has rho, c");
  }
}

}  // namespace
}  // namespace rtcg::dgfem
