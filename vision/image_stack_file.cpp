#include "vision/image_stack_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "vision/image_folder.h"

namespace rtcg::vision {

namespace {

constexpr std::size_t start_bytes = 65536;

/// Reads all of the bytes or says that the file is too short for them.
void read_at(int descriptor, void* to, std::size_t bytes, std::size_t offset, const std::string& name) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        pread(descriptor, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (count <= 0) throw InputError(fmt::format("{}: cannot be read at byte {}", name, offset + done));
    done += static_cast<std::size_t>(count);
  }
}

template <class T>
void convert(const std::vector<std::byte>& stored, float scale, std::vector<float>& pixels) {
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    T value;
    std::memcpy(&value, stored.data() + k * sizeof(T), sizeof(T));
    pixels[k] = scale * static_cast<float>(value);
  }
}

}  // namespace

ImageStackFile::ImageStackFile(std::filesystem::path file, const InputFormat& format)
    : file_(std::move(file)), format_(format) {
  const std::string shown = file_.string();
  descriptor_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, error);
  try {
    if (descriptor_ < 0 || error) throw InputError(fmt::format("{}: cannot be read", shown));
    std::string start(std::min<std::uintmax_t>(bytes, start_bytes), '\0');
    read_at(descriptor_, start.data(), start.size(), 0, shown);
    header_ = parse_npy_header(start, shown);
    const Shape& shape = header_.shape;
    if ((shape.size() != 3 && shape.size() != 4) || element_count(shape) == 0)
      throw InputError(
          fmt::format("{}: shape {}; images are [image, y, x] or [image, y, x, channel]", shown, to_string(shape)));
    const Dtype types[] = {Dtype::boolean, Dtype::u8, Dtype::u16, Dtype::f32, Dtype::f64};
    if (std::find(std::begin(types), std::end(types), header_.type) == std::end(types))
      throw InputError(fmt::format("{}: elements of {}; images are bool, uint8, uint16, float32 or float64", shown,
                                   dtype_name(header_.type)));
    if (header_.is_big_endian || header_.is_fortran_order)
      throw InputError(fmt::format("{}: big endian or in Fortran order; save it by numpy.ascontiguousarray", shown));
    const auto needed = static_cast<std::uintmax_t>(element_count(shape)) * size_of(header_.type) + header_.data_offset;
    if (bytes != needed)
      throw InputError(fmt::format("{}: shape {} of {} needs a file of {} bytes; it has {}", shown, to_string(shape),
                                   dtype_name(header_.type), needed, bytes));
    height_ = static_cast<std::size_t>(shape[1]), width_ = static_cast<std::size_t>(shape[2]);
    if (shape.size() == 4) channels_ = static_cast<std::size_t>(shape[3]);
  } catch (...) {
    if (descriptor_ >= 0) close(descriptor_);
    throw;
  }
}

ImageStackFile::~ImageStackFile() {
  close(descriptor_);
}

std::string ImageStackFile::name(std::size_t index) const {
  return fmt::format("{}[{}]", file_.filename().string(), index);
}

HostImage ImageStackFile::read(std::size_t index) const {
  HostImage image{height_, width_, channels_, {}};
  image.pixels.resize(height_ * width_ * channels_);
  std::vector<std::byte> stored(image.pixels.size() * size_of(header_.type));
  read_at(descriptor_, stored.data(), stored.size(), header_.data_offset + index * stored.size(), file_.string());
  switch (header_.type) {
    case Dtype::boolean:
      convert<std::uint8_t>(stored, 1, image.pixels);
      break;
    case Dtype::u8:
      convert<std::uint8_t>(stored, 1.0f / 255, image.pixels);
      break;
    case Dtype::u16:
      convert<std::uint16_t>(stored, 1.0f / 65535, image.pixels);
      break;
    case Dtype::f32:
      convert<float>(stored, 1, image.pixels);
      break;
    default:
      convert<double>(stored, 1, image.pixels);
  }
  check_finite(image, name(index));
  return formatted(std::move(image), format_, name(index));
}

std::unique_ptr<ImageSource> open_images(const std::filesystem::path& place, const InputFormat& format) {
  if (!std::filesystem::exists(place))
    throw InputError(fmt::format("{}: there is no such file or folder", place.string()));
  if (place.extension() == ".npy") return std::make_unique<ImageStackFile>(place, format);
  return std::make_unique<ImageFolder>(place, format);
}

}  // namespace rtcg::vision
