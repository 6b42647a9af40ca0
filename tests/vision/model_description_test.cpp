#include "vision/model_description.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "rtcg/error.h"
#include "vision/model_plan.h"
#include "vision/model_space.h"

namespace rtcg::vision {
namespace {

std::filesystem::path shipped(const char* name) {
  const char* root = std::getenv("RTCG_SOURCE_DIR");
  return std::filesystem::path(root ? root : ".") / "data/models" / name;
}

/// The message of the InputError that the text gives.
std::string refusal(const std::string& text) {
  try {
    parse_model(text, "m.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

void expect_refusal(const std::string& text, const std::string& part) {
  const std::string message = refusal(text);
  EXPECT_NE(message.find(part), std::string::npos) << text << "\n" << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(ModelDescriptionTest, TheFixedModelsHaveThePublishedNumbers) {
  const struct {
    const char* file;
    std::size_t field, extent, channels;
    double gflop;
  } cases[] = {{"fg11.toml", 121, 10, 256, 4.41}, {"zstone12.toml", 125, 10, 512, 7.56}};
  for (const auto& expected : cases) {
    const ModelDescription model = read_model(shipped(expected.file));
    const ModelPlan plan = plan_model(model, 200, 200);
    EXPECT_EQ(receptive_field(model).height, expected.field) << expected.file;
    EXPECT_EQ(receptive_field(model).width, expected.field) << expected.file;
    EXPECT_EQ(plan.height, expected.extent);
    EXPECT_EQ(plan.width, expected.extent);
    EXPECT_EQ(plan.channels, expected.channels);
    EXPECT_NEAR(plan.flops / 1e9, expected.gflop, 0.005) << expected.file;
  }
  const ModelDescription fg11 = read_model(shipped("fg11.toml"));
  EXPECT_EQ(fg11.layers[3].pool->order, 10);
  EXPECT_EQ(fg11.layers[3].clip->min, 0.0);
  EXPECT_FALSE(fg11.layers[3].clip->max);
}

TEST(ModelDescriptionTest, V1sMakesThirtyByThirtyByNinetySix) {
  const ModelDescription model = read_model(shipped("v1s.toml"));
  const ModelPlan plan = plan_model(model, 150, 150);
  EXPECT_EQ(plan.features(), 30u * 30 * 96);
  EXPECT_NEAR(plan.flops / 1e9, 7.99, 0.005);
  EXPECT_EQ(model.input.longest_edge, 150u);
  EXPECT_EQ(receptive_field(model).height, 63u);
}

TEST(ModelDescriptionTest, ReadsWhatItWrites) {
  for (const char* file : {"fg11.toml", "zstone12.toml", "v1s.toml"}) {
    const ModelDescription model = read_model(shipped(file));
    EXPECT_EQ(parse_model(to_toml(model)), model) << to_toml(model);
  }
  const ModelSpace space = ModelSpace::read(shipped("plos09.toml"));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ModelDescription model = space.sample(seed);
    EXPECT_EQ(parse_model(to_toml(model)), model) << to_toml(model);
  }
}

TEST(ModelDescriptionTest, NamesUnknownKeysWithLineAndNearestKey) {
  expect_refusal("[[layers]]\npool = { size = 3 }\n\n[[layers]]\nfilter = { count = 3, size = 5, strid = 2 }\n",
                 "m.toml:5: layers[1].filter.strid: there is no such key; the nearest is \"stride\"");
  expect_refusal("nam = \"x\"\n[[layers]]\npool = { size = 3 }\n",
                 "m.toml:1: nam: there is no such key; the nearest is \"name\"");
  expect_refusal("[[layers]]\nnormalize = { size = 3 }\n", "the nearest is \"normalise\"");
  expect_refusal("[input]\nwidht = 3\n[[layers]]\npool = { size = 3 }\n", "m.toml:2: input.widht");
}

TEST(ModelDescriptionTest, RefusesValuesThatMakeNoSense) {
  const auto layer = [](const std::string& line) { return "[[layers]]\n" + line + "\n"; };
  expect_refusal("", "[[layers]]");
  expect_refusal("layers = 3\n", "m.toml:1: layers");
  expect_refusal("[[layers]]\n", "without any operator");
  expect_refusal("[[layers]\n", "m.toml:1: ");
  expect_refusal("name = 3\n" + layer("pool = { size = 3 }"), "m.toml:1: name: a text");
  expect_refusal(layer("pool = 3"), "m.toml:2: layers[0].pool: a table is needed");
  expect_refusal(layer("pool = { order = 2 }"), "size, or height and width, is missing");
  expect_refusal(layer("pool = { size = 3, width = 2 }"), "one or the other");
  expect_refusal(layer("pool = { size = -3 }"), "layers[0].pool.size: a whole number from 1");
  expect_refusal(layer("pool = { size = 3.5 }"), "a whole number");
  expect_refusal(layer("pool = { size = [3, 5] }"), "not a list");
  expect_refusal(layer("pool = { size = 3, order = 0 }"), "order 0");
  expect_refusal(layer("pool = { size = 3, order = nan }"), "order nan");
  expect_refusal(layer("pool = { size = 3, border = \"wrap\" }"), "border \"wrap\"");
  expect_refusal(layer("pool = { size = 3, border = \"mirror\" }"), "no border is called");
  expect_refusal(layer("normalise = { size = 3, threshold = -1 }"), "threshold -1");
  expect_refusal(layer("normalise = { size = 3, remove_mean = 1 }"), "true or false");
  expect_refusal(layer("clip = { min = 2, max = 1 }"), "min must not be above max");
  expect_refusal(layer("clip = { min = \"never\" }"), "\"none\"");
  expect_refusal(layer("filter = { size = 3 }"), "count");
  expect_refusal(layer("filter = { size = 3, count = 0 }"), "count: a whole number from 1");
  expect_refusal(layer("filter = { source = \"gabr\" }"), "Gabor");
  expect_refusal(layer("filter = { source = \"gabor\", count = 3 }"), "says this already");
  expect_refusal(layer("filter = { source = \"missing.h5\" }"), "missing.h5");
  expect_refusal("[input]\nheight = 3\n" + layer("pool = { size = 3 }"), "go together");
  EXPECT_THROW(read_model("no such file.toml"), InputError);
}

TEST(ModelPlanTest, SaysWhichLayerAnImageIsTooSmallFor) {
  const ModelDescription model = read_model(shipped("fg11.toml"));
  try {
    plan_model(model, 60, 200);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("\"fg11\", layer 3: normalise of 7"), std::string::npos) << error.what();
  }
  // As large as the receptive field is just enough.
  EXPECT_EQ(plan_model(model, 121, 121).height, 1u);
  EXPECT_THROW(plan_model(model, 120, 121), UsageError);
}

TEST(ModelSpaceTest, HasThePublishedSize) {
  // 72 normalisations four times, 4 filter sizes, 4 bounds, 4 pool sizes, 3 orders and 3, 4, 5 counts of filters.
  const double layer = 4 * 4 * 4 * 3;
  EXPECT_EQ(ModelSpace::read(shipped("plos09.toml")).size(), std::pow(72.0, 4) * std::pow(layer, 3) * 3 * 4 * 5);
}

TEST(ModelSpaceTest, SamplesRepeatAndReachEveryValue) {
  const ModelSpace space = ModelSpace::read(shipped("plos09.toml"));
  std::set<double> orders, counts;
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ModelDescription model = space.sample(seed);
    EXPECT_EQ(model, space.sample(seed));
    orders.insert(model.layers[1].pool->order);
    counts.insert(static_cast<double>(model.layers[3].filter->count));
    texts.insert(to_toml(model));
  }
  EXPECT_EQ(orders, (std::set<double>{1, 2, 10}));
  EXPECT_EQ(counts, (std::set<double>{16, 32, 64, 128, 256}));
  EXPECT_EQ(texts.size(), 100u);
}

TEST(ModelSpaceTest, SamplesThatMustFitDo) {
  const ModelSpace space = ModelSpace::read(shipped("small.toml"));
  std::set<std::size_t> depths;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ModelDescription model = space.sample(seed, 25, 25);
    EXPECT_NO_THROW(plan_model(model, 25, 25));
    depths.insert(model.layers.size());
  }
  EXPECT_EQ(depths, (std::set<std::size_t>{2, 3}));
  EXPECT_THROW(space.sample(0, 4, 4), UsageError);
}

TEST(ModelSpaceTest, RefusesListsWithAValueThatMakesNoSense) {
  const std::string start = "[[layers]]\npool = { size = ";
  EXPECT_NO_THROW(ModelSpace::parse(start + "[3, 5] }\n"));
  EXPECT_THROW(ModelSpace::parse(start + "[3, 0] }\n"), InputError);
  EXPECT_THROW(ModelSpace::parse(start + "[3, 5], sizes = [1] }\n"), InputError);
  EXPECT_THROW(ModelSpace::parse(start + "[] }\n"), InputError);
  EXPECT_THROW(ModelSpace::parse("depth = 2\n" + start + "3 }\n"), InputError);
  EXPECT_THROW(ModelSpace::parse("depth = [1, 2]\n" + start + "3 }\n"), InputError);
}

}  // namespace
}  // namespace rtcg::vision
