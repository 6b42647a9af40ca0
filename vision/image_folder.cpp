#include "vision/image_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_OPENCV
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace rtcg::vision {

namespace {

/// Grey and colour can be made of one another, with or without an alpha channel.
void check_channels(const HostImage& image, const InputFormat& format, const std::string& name) {
  const bool known = (image.channels == 1 || image.channels == 3 || image.channels == 4) &&
                     (format.channels == 1 || format.channels == 3);
  if (image.channels != format.channels && !known)
    throw InputError(
        fmt::format("{}: {} channels; they cannot be made into {}", name, image.channels, format.channels));
}

}  // namespace

#ifdef RTCG_WITH_OPENCV
namespace {

constexpr std::array<std::string_view, 12> endings{".png",  ".jpg", ".jpeg", ".tif", ".tiff", ".bmp",
                                                   ".webp", ".pgm", ".ppm",  ".pbm", ".pnm",  ".jp2"};

bool is_picture(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

/// Whether a JPEG file ends before its picture does; decoders fill what is missing with grey and say nothing. Segments
/// are walked by their lengths, so that a thumbnail's end within one is not taken for the picture's.
bool is_cut_jpeg(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (bytes.size() < 2 || byte(0) != 0xff || byte(1) != 0xd8) return false;  // no JPEG
  std::size_t at = 2;
  while (at + 1 < bytes.size()) {
    if (byte(at) != 0xff) {  // compressed data, up to the next marker
      at = std::min(bytes.find('\xff', at), bytes.size());
      continue;
    }
    const unsigned marker = byte(at + 1);
    if (marker == 0xd9) return false;
    const bool stands_alone = marker == 0x00 || marker == 0x01 || marker == 0xff || (marker >= 0xd0 && marker <= 0xd7);
    if (stands_alone)
      at += marker == 0xff ? 1 : 2;
    else if (at + 3 < bytes.size())
      at += 2 + byte(at + 2) * std::size_t{256} + byte(at + 3);
    else
      return true;
  }
  return true;
}

cv::Size wanted_size(const HostImage& image, const InputFormat& format) {
  if (format.height != 0) return {static_cast<int>(format.width), static_cast<int>(format.height)};
  if (format.longest_edge == 0) return {static_cast<int>(image.width), static_cast<int>(image.height)};
  const double scale =
      static_cast<double>(format.longest_edge) / static_cast<double>(std::max(image.height, image.width));
  const auto scaled = [&](std::size_t extent) {
    return std::max(1, static_cast<int>(std::lround(scale * static_cast<double>(extent))));
  };
  return {scaled(image.width), scaled(image.height)};
}

}  // namespace

ImageFolder::ImageFolder(std::filesystem::path folder, const InputFormat& format)
    : folder_(std::move(folder)), format_(format) {
  std::error_code error;
  if (std::filesystem::is_regular_file(folder_, error)) {
    files_.push_back(folder_.filename());
    folder_ = folder_.parent_path();
    return;
  }
  for (auto at = std::filesystem::recursive_directory_iterator(
           folder_, std::filesystem::directory_options::follow_directory_symlink, error);
       !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error))
    if (at->is_regular_file() && is_picture(at->path())) files_.push_back(at->path().lexically_relative(folder_));
  if (error) throw InputError(fmt::format("{}: cannot be read: {}", folder_.string(), error.message()));
  if (files_.empty())
    throw InputError(fmt::format("{}: no picture in this folder; endings that are read: {}", folder_.string(),
                                 fmt::join(endings, " ")));
  std::sort(files_.begin(), files_.end());
}

HostImage ImageFolder::read(std::size_t index) const {
  const std::string file = (folder_ / files_.at(index)).string();
  cv::Mat mat;
  std::string reason = "it does not decode as an image";
  try {
    // The orientation noted by cameras is followed.
    mat = cv::imread(file, cv::IMREAD_ANYDEPTH | (format_.channels == 1 ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR));
  } catch (const cv::Exception& failure) {
    reason = failure.err;
  }
  if (mat.empty()) throw InputError(fmt::format("{}: {}", file, reason));
  if (is_cut_jpeg(file)) throw InputError(file + ": the file ends before its picture does");
  if (mat.channels() == 3) cv::cvtColor(mat, mat, cv::COLOR_BGR2RGB);
  const double scale = mat.depth() == CV_8U ? 1.0 / 255 : mat.depth() == CV_16U ? 1.0 / 65535 : 1;
  HostImage image{static_cast<std::size_t>(mat.rows),
                  static_cast<std::size_t>(mat.cols),
                  static_cast<std::size_t>(mat.channels()),
                  {}};
  image.pixels.resize(image.height * image.width * image.channels);
  cv::Mat pixels(mat.rows, mat.cols, CV_32FC(mat.channels()), image.pixels.data());
  mat.convertTo(pixels, CV_32F, scale);
  check_finite(image, file);
  return formatted(std::move(image), format_, file);
}

HostImage formatted(HostImage image, const InputFormat& format, const std::string& name) {
  check_channels(image, format, name);
  const cv::Size size = wanted_size(image, format);
  const bool fits =
      static_cast<std::size_t>(size.height) == image.height && static_cast<std::size_t>(size.width) == image.width;
  if (fits && image.channels == format.channels) return image;
  cv::Mat mat(static_cast<int>(image.height), static_cast<int>(image.width), CV_32FC(static_cast<int>(image.channels)),
              image.pixels.data());
  cv::Mat toned = mat;
  if (image.channels != format.channels) {
    const int code = image.channels == 1    ? cv::COLOR_GRAY2RGB
                     : format.channels == 3 ? cv::COLOR_RGBA2RGB
                     : image.channels == 4  ? cv::COLOR_RGBA2GRAY
                                            : cv::COLOR_RGB2GRAY;
    cv::cvtColor(mat, toned, code);
  }
  HostImage result{static_cast<std::size_t>(size.height), static_cast<std::size_t>(size.width), format.channels, {}};
  result.pixels.resize(result.height * result.width * result.channels);
  cv::Mat resized(size, CV_32FC(static_cast<int>(format.channels)), result.pixels.data());
  const bool shrinks = result.height < image.height || result.width < image.width;
  cv::resize(toned, resized, size, 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

#else

ImageFolder::ImageFolder(std::filesystem::path folder, const InputFormat& format)
    : folder_(std::move(folder)), format_(format) {
  throw UsageError(fmt::format("{}: this build reads no pictures (no OpenCV); give images as .npy", folder_.string()));
}

HostImage ImageFolder::read(std::size_t) const {
  return {};
}

HostImage formatted(HostImage image, const InputFormat& format, const std::string& name) {
  check_channels(image, format, name);
  const bool fits = format.longest_edge == 0
                        ? format.height == 0 || (format.height == image.height && format.width == image.width)
                        : format.longest_edge == std::max(image.height, image.width);
  if (!fits || image.channels != format.channels)
    throw UsageError(
        fmt::format("{}: {} x {} x {} is not what the model takes, and this build does not resize (no OpenCV)", name,
                    image.height, image.width, image.channels));
  return image;
}

#endif

void check_finite(const HostImage& image, const std::string& name) {
  const auto bad = std::find_if(image.pixels.begin(), image.pixels.end(), [](float v) { return !std::isfinite(v); });
  if (bad == image.pixels.end()) return;
  const auto at = static_cast<std::size_t>(bad - image.pixels.begin());
  throw InputError(fmt::format("{}: pixel ({}, {}), channel {}, is {}; images must be finite", name,
                               at / image.channels / image.width, at / image.channels % image.width,
                               at % image.channels, *bad));
}

}  // namespace rtcg::vision
