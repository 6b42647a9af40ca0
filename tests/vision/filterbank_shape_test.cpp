#include "vision/filterbank_shape.h"

#include <gtest/gtest.h>

#include "rtcg/error.h"

namespace rtcg::vision {
namespace {

TEST(FilterbankShapeTest, ReadsThePapersFirstShape) {
  const FilterbankShape shape = parse_shape("256x256x8", "64x9x9x8");
  shape.check();
  EXPECT_EQ(shape.output_height(), 248u);
  EXPECT_EQ(shape.outputs(), 248u * 248u * 64u);
  EXPECT_NEAR(shape.flops() / 1e9, 5.101, 0.001);
}

TEST(FilterbankShapeTest, ResponsesAreAsLargeAsTheImageWithAnyBorderButValid) {
  FilterbankShape shape = parse_shape("20x31x3", "2x4x7x3");
  EXPECT_EQ(shape.output_height(), 17u);
  EXPECT_EQ(shape.output_width(), 25u);
  for (const Border border : {Border::zero, Border::reflect, Border::replicate, Border::wrap}) {
    shape.border = border;
    shape.check();
    EXPECT_EQ(shape.output_height(), 20u);
    EXPECT_EQ(shape.output_width(), 31u);
  }
  shape.stride_y = 3;
  EXPECT_EQ(shape.output_height(), 7u);
}

TEST(FilterbankShapeTest, RefusesWhatCannotBeComputed) {
  EXPECT_THROW(parse_shape("20x31x3", "2x4x7x4"), UsageError);
  for (const char* text :
       {"", "20", "20x31", "20x31x", "20x31x3x", "20x31x0", "-1x2x3", "20x31x3 ", "99999999999999999999x1x1"})
    EXPECT_THROW(parse_shape(text, "1x1x1x3"), UsageError) << text;
  FilterbankShape shape = parse_shape("4x9x1", "1x5x5x1");
  EXPECT_THROW(shape.check(), UsageError);
  shape.border = Border::reflect;
  EXPECT_NO_THROW(shape.check());
  shape.height = 2;
  EXPECT_THROW(shape.check(), UsageError);
  shape.border = Border::replicate;
  EXPECT_NO_THROW(shape.check());
  shape.images = std::size_t{1} << 62;
  EXPECT_THROW(shape.check(), UsageError);
}

TEST(FilterbankShapeTest, NamesBorders) {
  EXPECT_EQ(parse_border("wrap"), Border::wrap);
  EXPECT_EQ(name_of(Border::replicate), "replicate");
  EXPECT_THROW(parse_border("mirror"), UsageError);
}

}  // namespace
}  // namespace rtcg::vision
