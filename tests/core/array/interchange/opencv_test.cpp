#include "rtcg/array/interchange/opencv.h"

#include <gtest/gtest.h>

#include "rtcg/array/expression.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class OpenCvTest : public test::DeviceTest {};

TEST_P(OpenCvTest, MatricesAndImagesKeepTheirPixels) {
  const Stream queue = stream();
  const cv::Mat grey = (cv::Mat_<float>(2, 3) << 1, 2, 3, 4, 5, 6);
  const Array a = from_mat(queue, grey);
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(from_mat(queue, grey.colRange(1, 3)).to_vector<float>(), (std::vector<float>{2, 3, 5, 6}));

  cv::Mat colour(2, 2, CV_8UC3, cv::Scalar(1, 2, 3));
  colour.at<cv::Vec3b>(1, 0) = {7, 8, 9};
  const Array c = from_mat(queue, colour);
  EXPECT_EQ(c.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(c(1, 0).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{7, 8, 9}));
  const cv::Mat back = to_mat(c.flip(1));
  EXPECT_EQ(back.type(), CV_8UC3);
  EXPECT_EQ(back.at<cv::Vec3b>(1, 1), cv::Vec3b(7, 8, 9));
}

TEST_P(OpenCvTest, EveryDepthComesBack) {
  const Stream queue = stream();
  for (const int depth : {CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F, CV_16F}) {
    const cv::Mat mat = cv::Mat::zeros(3, 4, depth);
    EXPECT_EQ(to_mat(from_mat(queue, mat)).type(), depth);
  }
  const cv::Mat parts = to_mat(Array::from(queue, {std::complex<float>(1, -2)}, Shape{1, 1}));
  EXPECT_EQ(parts.at<cv::Vec2f>(0, 0), cv::Vec2f(1, -2));
}

TEST_P(OpenCvTest, RefusesWhatAMatCannotHold) {
  const Stream queue = stream();
  const int sizes[] = {2, 2, 2};
  EXPECT_MESSAGE(UsageError, "a Mat of 3 dimensions", from_mat(queue, cv::Mat(3, sizes, CV_8U)));
  EXPECT_MESSAGE(UsageError, "shape (3,);", to_mat(Array::zeros(queue, {3}, Dtype::u8)));
  EXPECT_MESSAGE(UsageError, "shape (2, 2, 600);", to_mat(Array::zeros(queue, {2, 2, 600}, Dtype::u8)));
  EXPECT_MESSAGE(UsageError, "no elements of int64", to_mat(Array::zeros(queue, {2, 2}, Dtype::i64)));
}

RTCG_INSTANTIATE_FOR_DEVICES(OpenCvTest);

}  // namespace
}  // namespace rtcg
