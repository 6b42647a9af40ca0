#include "rtcg/io/hdf5.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg/io/hdf5_detail.h"

namespace rtcg::hdf5 {
namespace {

namespace fs = std::filesystem;
using namespace detail;

// A block of deflate reaches 1032 to 1; shuffling does not change sizes.
constexpr std::uint64_t best_compression = 1032;
constexpr std::size_t longest_attribute = 1 << 16;
constexpr int most_dimensions = 8;

struct Extent {
  Shape shape;
  std::uint64_t elements = 1;
};

}  // namespace

std::size_t bytes_of(Element element) {
  const Quiet quiet;
  return (is_complex(element) ? 2 : 1) * H5Tget_size(real_type(element));
}

struct File::State {
  std::string name;
  std::uint64_t file_bytes = 0;
  Handle file{-1, H5Fclose};

  [[noreturn]] void fail(const std::string& object, const std::string& what) const {
    throw InputError(fmt::format("{}: {}{}{}", name, object, object.empty() ? "" : ": ", what));
  }
  /// For a call of the library that has just failed.
  [[noreturn]] void fail_library(const std::string& object, const std::string& what) const {
    fail(object, what + library_reason());
  }

  /// Walks the path link by link, because an external link would open whatever file its author named.
  bool exists(const std::string& path) const {
    if (path.empty() || path[0] != '/') throw UsageError(fmt::format("'{}' is not an absolute HDF5 path", path));
    for (std::size_t end = 1; end != std::string::npos && path.size() > 1;) {
      end = path.find('/', end);
      const std::string part = path.substr(0, end);
      if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
      H5L_info_t info{};
      if (H5Lget_info(file, part.c_str(), &info, H5P_DEFAULT) < 0) fail_library(part, "a damaged link");
      if (info.type != H5L_TYPE_HARD) fail(part, "a soft or external link; only objects of the file itself are read");
      if (end != std::string::npos) ++end;
    }
    return true;
  }

  Handle open_dataset(const std::string& path) const {
    if (!exists(path)) fail(path, "no such dataset");
    const Handle object{H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose};
    if (!object.valid()) fail_library(path, "cannot be opened");
    if (H5Iget_type(object) != H5I_DATASET) fail(path, "not a dataset");
    Handle dataset{H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose};
    if (!dataset.valid()) fail_library(path, "cannot be opened");
    return dataset;
  }

  Extent extent(const std::string& path, hid_t dataset) const {
    const Handle space{H5Dget_space(dataset), H5Sclose};
    if (!space.valid()) fail_library(path, "has no shape");
    const H5S_class_t kind = H5Sget_simple_extent_type(space);
    if (kind == H5S_SCALAR) return {};
    const int rank = H5Sget_simple_extent_ndims(space);
    if (kind != H5S_SIMPLE || rank < 1 || rank > most_dimensions)
      fail(path, fmt::format("has no array of 1 to {} dimensions", most_dimensions));
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    Extent result;
    for (int d = 0; d < rank; ++d) {
      const hsize_t size = sizes[static_cast<std::size_t>(d)];
      if (size != 0 && result.elements > (std::uint64_t{1} << 48) / size) fail(path, "too large to be true");
      result.elements *= size;
      result.shape.push_back(size);
    }
    return result;
  }

  Element stored(const std::string& path, hid_t dataset) const {
    const Handle type{H5Dget_type(dataset), H5Tclose};
    if (!type.valid()) fail_library(path, "has no type");
    const std::optional<Element> element = stored_element(type);
    if (!element) fail(path, "of a type that is not read; plain numbers or a compound {r, i} of floats are");
    return *element;
  }

  void check_kind(const std::string& path, hid_t dataset, Element as) const {
    if (is_complex(stored(path, dataset)) != is_complex(as))
      fail(path, is_complex(as) ? "holds real numbers; complex ones, a compound {r, i}, are needed"
                                : "holds complex numbers; real ones are needed");
  }

  /// The bytes announced must be ones that the bytes stored can give.
  void check_storage(const std::string& path, hid_t dataset, const Extent& size) const {
    const Handle type{H5Dget_type(dataset), H5Tclose};
    const Handle properties{H5Dget_create_plist(dataset), H5Pclose};
    if (!type.valid() || !properties.valid()) fail_library(path, "is damaged");
    const H5D_layout_t layout = H5Pget_layout(properties);
    if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
      fail(path, "a virtual dataset; only data in the file itself is read");
    if (H5Pget_external_count(properties) > 0) fail(path, "kept in another file; only data in the file itself is read");
    const int filters = layout == H5D_CHUNKED ? H5Pget_nfilters(properties) : 0;
    for (int f = 0; f < filters; ++f) {
      unsigned flags = 0, configuration = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter =
          H5Pget_filter2(properties, static_cast<unsigned>(f), &flags, &values, nullptr, 0, nullptr, &configuration);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
        fail(path,
             fmt::format("packed by filter {}; deflate, shuffle and fletcher32 are read", static_cast<int>(filter)));
    }
    const std::uint64_t gain = filters > 0 ? best_compression : 1, element_bytes = H5Tget_size(type);
    const std::uint64_t stored_bytes = H5Dget_storage_size(dataset);
    if (stored_bytes > file_bytes)
      fail(path, fmt::format("{} bytes announced in a file of {}", stored_bytes, file_bytes));
    if (size.elements > stored_bytes * gain / element_bytes)
      fail(path, fmt::format("{} numbers announced but only {} bytes stored; the file is incomplete or damaged",
                             size.elements, stored_bytes));
    if (layout != H5D_CHUNKED) return;
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data());
    std::uint64_t chunk_bytes = element_bytes;
    for (int d = 0; d < rank; ++d) {
      const hsize_t side = chunk[static_cast<std::size_t>(d)];
      if (side == 0 || chunk_bytes > file_bytes * gain / side)
        fail(path, "its chunks are larger than the file could fill; the file is damaged");
      chunk_bytes *= side;
    }
  }

  /// Memory and file selections of a block of rows, or of everything.
  void select(const std::string& path, const Handle& space, const Extent& size, std::size_t first, std::size_t count,
              std::uint64_t room, std::uint64_t& elements) const {
    elements = size.elements;
    if (first != whole) {
      if (size.shape.empty()) fail(path, "a single number; rows of an array are needed");
      const std::size_t rows = size.shape[0];
      if (first > rows || count > rows - first)
        fail(path, fmt::format("rows {} to {} asked for of {}", first, first + count, rows));
      elements = rows == 0 ? 0 : size.elements / rows * count;
      std::array<hsize_t, H5S_MAX_RANK> start{}, extent{};
      for (std::size_t d = 0; d < size.shape.size(); ++d) extent[d] = size.shape[d];
      start[0] = first;
      extent[0] = count;
      if (elements != 0 &&
          H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) < 0)
        fail_library(path, "cannot select rows");
    }
    if (elements != room)
      throw UsageError(fmt::format("{}: {}: room for {} numbers given for {}", name, path, room, elements));
  }

  /// Selects a box of the file's space; the number of its elements.
  std::uint64_t select_box(const std::string& path, const Handle& space, const Extent& size, const Shape& start,
                           const Shape& extent) const {
    if (start.size() != size.shape.size() || extent.size() != size.shape.size())
      fail(path, fmt::format("{} dimensions; a box of {} asked for", size.shape.size(), start.size()));
    std::uint64_t elements = 1;
    for (std::size_t d = 0; d < start.size(); ++d) {
      if (start[d] > size.shape[d] || extent[d] > size.shape[d] - start[d])
        fail(path, fmt::format("{} to {} asked for along dimension {} of {}", start[d], start[d] + extent[d], d,
                               size.shape[d]));
      elements *= extent[d];
    }
    const std::vector<hsize_t> first(start.begin(), start.end()), count(extent.begin(), extent.end());
    if (elements != 0 && !start.empty() &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) < 0)
      fail_library(path, "cannot select a box");
    return elements;
  }
};

File::File(std::unique_ptr<State> state) : state_(std::move(state)) {}
File::~File() {
  const Quiet quiet;
  state_.reset();
}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;

bool is_hdf5(const fs::path& file) {
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> head{};
  std::ifstream in(file, std::ios::binary);
  // A user block, such as MATLAB's, may stand before: HDF5 itself looks at 0, 512 and every doubling.
  for (std::streamoff at = 0; in.seekg(at) && in.read(head.data(), head.size()); at = at == 0 ? 512 : 2 * at)
    if (head == signature) return true;
  return false;
}

File File::open(const fs::path& file) {
  const Quiet quiet;
  auto state = std::make_unique<State>();
  state->name = file.string();
  std::error_code error;
  if (fs::is_directory(file, error)) state->fail("", "a directory; an HDF5 file is needed");
  state->file_bytes = fs::file_size(file, error);
  if (error) state->fail("", fmt::format("cannot be read: {}", error.message()));
  if (!std::ifstream(file, std::ios::binary)) state->fail("", "cannot be opened for reading; check its permissions");
  if (!is_hdf5(file)) state->fail("", "not an HDF5 file (it lacks HDF5's signature)");
  // What a damaged file makes the library leave open must not keep the file open.
  const Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  state->file = Handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!state->file.valid()) state->fail_library("", "a damaged or truncated HDF5 file");
  return File(std::move(state));
}

File File::create(const fs::path& file, const fs::path& shown) {
  const Quiet quiet;
  auto state = std::make_unique<State>();
  state->name = (shown.empty() ? file : shown).string();
  // From 1.10 on the format carries a checksum with every piece of metadata: damage is found, not followed.
  const Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
  const Handle creation{H5Pcreate(H5P_FILE_CREATE), H5Pclose};
  H5Pset_obj_track_times(creation, false);  // as without_times()
  state->file = Handle(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  if (!state->file.valid()) state->fail_library("", "cannot be created");
  return File(std::move(state));
}

void File::close() {
  const Quiet quiet;
  if (H5Fflush(state_->file, H5F_SCOPE_GLOBAL) < 0) state_->fail_library("", "cannot be written to the end");
  state_->file = Handle(-1, H5Fclose);
}

bool File::has(const std::string& dataset) const {
  const Quiet quiet;
  return state_->exists(dataset);
}

Shape File::shape(const std::string& dataset) const {
  const Quiet quiet;
  return state_->extent(dataset, state_->open_dataset(dataset)).shape;
}

Element File::element(const std::string& dataset) const {
  const Quiet quiet;
  return state_->stored(dataset, state_->open_dataset(dataset));
}

std::size_t File::readable_elements(const std::string& dataset, Element as) const {
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  state_->check_kind(dataset, handle, as);
  const Extent size = state_->extent(dataset, handle);
  state_->check_storage(dataset, handle, size);
  return size.elements;
}

void File::read_bytes(const std::string& dataset, Element as, std::size_t first, std::size_t count,
                      std::span<std::byte> to) const {
  readable_elements(dataset, as);
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  const Handle space{H5Dget_space(handle), H5Sclose};
  std::uint64_t elements = 0;
  state_->select(dataset, space, state_->extent(dataset, handle), first, count, to.size() / bytes_of(as), elements);
  if (elements == 0) return;
  const hsize_t room = elements;
  const Handle memory{H5Screate_simple(1, &room, nullptr), H5Sclose};
  const Handle type = memory_type(as);
  if (H5Dread(handle, type, memory, space, H5P_DEFAULT, to.data()) < 0)
    state_->fail_library(dataset, "cannot be read; the file is damaged or truncated");
}

void File::check_box(const std::string& dataset, Element as, const Shape& start, const Shape& extent) const {
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  state_->check_kind(dataset, handle, as);
  const Handle space{H5Dget_space(handle), H5Sclose};
  state_->select_box(dataset, space, state_->extent(dataset, handle), start, extent);
}

void File::read_box(const std::string& dataset, Element as, const Shape& start, const Shape& extent,
                    std::span<std::byte> to) const {
  readable_elements(dataset, as);
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  const Handle space{H5Dget_space(handle), H5Sclose};
  const hsize_t elements = state_->select_box(dataset, space, state_->extent(dataset, handle), start, extent);
  if (elements != to.size() / bytes_of(as))
    throw UsageError(
        fmt::format("{}: {}: room for {} bytes given for {} numbers", state_->name, dataset, to.size(), elements));
  if (elements == 0) return;
  const Handle memory{H5Screate_simple(1, &elements, nullptr), H5Sclose};
  if (H5Dread(handle, memory_type(as), memory, space, H5P_DEFAULT, to.data()) < 0)
    state_->fail_library(dataset, "cannot be read; the file is damaged or truncated");
}

void File::write_box(const std::string& dataset, Element as, const Shape& start, const Shape& extent,
                     std::span<const std::byte> from) {
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  const Handle space{H5Dget_space(handle), H5Sclose};
  const hsize_t elements = state_->select_box(dataset, space, state_->extent(dataset, handle), start, extent);
  if (elements != from.size() / bytes_of(as))
    throw UsageError(
        fmt::format("{}: {}: {} bytes given for {} numbers", state_->name, dataset, from.size(), elements));
  if (elements == 0) return;
  const Handle memory{H5Screate_simple(1, &elements, nullptr), H5Sclose};
  if (H5Dwrite(handle, memory_type(as), memory, space, H5P_DEFAULT, from.data()) < 0)
    state_->fail_library(dataset, "cannot be written");
}

namespace {

/// Of objects that do not keep the time they were made at: the same contents give the same file.
Handle without_times(hid_t kind) {
  Handle properties{H5Pcreate(kind), H5Pclose};
  H5Pset_obj_track_times(properties, false);
  return properties;
}

/// Those that the path names and that are not there yet; whoever creates the object reports a failure.
void create_groups(hid_t file, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string group = path.substr(0, slash);
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) continue;
    const Handle properties = without_times(H5P_GROUP_CREATE);
    const Handle made{H5Gcreate2(file, group.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose};
  }
}

}  // namespace

void File::create_dataset(const std::string& dataset, Element element, const Shape& shape, std::size_t chunk_rows) {
  const Quiet quiet;
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const Handle space{
      shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      H5Sclose};
  const Handle type = memory_type(element);
  create_groups(state_->file, dataset);
  const Handle properties = without_times(H5P_DATASET_CREATE);
  if (chunk_rows != 0 && !shape.empty()) {
    std::vector<hsize_t> chunk = sizes;
    chunk[0] = std::min<hsize_t>(chunk_rows, std::max<hsize_t>(1, sizes[0]));
    for (hsize_t& side : chunk) side = std::max<hsize_t>(1, side);
    H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  }
  const Handle handle{H5Dcreate2(state_->file, dataset.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                      H5Dclose};
  if (!handle.valid()) state_->fail_library(dataset, "cannot be created");
}

void File::write_bytes(const std::string& dataset, Element as, std::size_t first, std::size_t count,
                       std::span<const std::byte> from) {
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  const Handle space{H5Dget_space(handle), H5Sclose};
  std::uint64_t elements = 0;
  state_->select(dataset, space, state_->extent(dataset, handle), first, count, from.size() / bytes_of(as), elements);
  if (elements == 0) return;
  const hsize_t room = elements;
  const Handle memory{H5Screate_simple(1, &room, nullptr), H5Sclose};
  const Handle type = memory_type(as);
  if (H5Dwrite(handle, type, memory, space, H5P_DEFAULT, from.data()) < 0)
    state_->fail_library(dataset, "cannot be written");
}

void File::write_texts(const std::string& dataset, std::span<const std::string> texts) {
  const Quiet quiet;
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string packed(length * texts.size(), '\0');
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k].copy(packed.data() + k * length, length);
  const hsize_t count = texts.size();
  const Handle space{H5Screate_simple(1, &count, nullptr), H5Sclose};
  const Handle type{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(type, length);
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  create_groups(state_->file, dataset);
  const Handle properties = without_times(H5P_DATASET_CREATE);
  const Handle handle{H5Dcreate2(state_->file, dataset.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                      H5Dclose};
  if (!handle.valid() || (count != 0 && H5Dwrite(handle, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()) < 0))
    state_->fail_library(dataset, "cannot be written");
}

std::vector<std::string> File::read_texts(const std::string& dataset) const {
  const Quiet quiet;
  const Handle handle = state_->open_dataset(dataset);
  const Extent size = state_->extent(dataset, handle);
  const Handle stored{H5Dget_type(handle), H5Tclose};
  if (!stored.valid() || H5Tget_class(stored) != H5T_STRING || H5Tis_variable_str(stored) > 0 || size.shape.size() != 1)
    state_->fail(dataset, "one dimension of strings of a fixed length is needed");
  state_->check_storage(dataset, handle, size);
  const std::size_t length = H5Tget_size(stored);
  const Handle type{H5Tcopy(stored), H5Tclose};
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  std::string packed(length * size.elements, '\0');
  if (size.elements != 0 && H5Dread(handle, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()) < 0)
    state_->fail_library(dataset, "cannot be read");
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < size.elements; ++k) texts.emplace_back(packed.substr(k * length, length).c_str());
  return texts;
}

Attributes File::attributes(const std::string& object) const {
  const Quiet quiet;
  if (!state_->exists(object)) state_->fail(object, "no such object");
  const Handle handle{H5Oopen(state_->file, object.c_str(), H5P_DEFAULT), H5Oclose};
  if (!handle.valid()) state_->fail_library(object, "cannot be opened");
  H5O_info_t info{};
  if (H5Oget_info2(handle, &info, H5O_INFO_NUM_ATTRS) < 0)
    state_->fail_library(object, "its attributes cannot be read");
  Attributes result;
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    const Handle attribute{H5Aopen_by_idx(handle, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose};
    if (!attribute.valid()) state_->fail_library(object, "an attribute cannot be opened");
    std::array<char, 256> name{};
    if (H5Aget_name(attribute, name.size(), name.data()) < 0)
      state_->fail_library(object, "an attribute without a name");
    const Handle space{H5Aget_space(attribute), H5Sclose}, type{H5Aget_type(attribute), H5Tclose};
    if (!space.valid() || !type.valid() || H5Sget_simple_extent_npoints(space) != 1) continue;
    if (const auto number = plain_element(type); number && *number != Element::boolean) {
      double value = 0;
      if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
        state_->fail_library(object, fmt::format("attribute '{}' cannot be read", name.data()));
      result[name.data()] = value;
    } else if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
      char* value = nullptr;
      if (H5Aread(attribute, type, &value) < 0)
        state_->fail_library(object, fmt::format("attribute '{}' cannot be read", name.data()));
      if (value) result[name.data()] = std::string(value);
      H5free_memory(value);
    } else if (H5Tget_class(type) == H5T_STRING && H5Tget_size(type) <= longest_attribute) {
      std::string value(H5Tget_size(type), '\0');
      if (H5Aread(attribute, type, value.data()) < 0)
        state_->fail_library(object, fmt::format("attribute '{}' cannot be read", name.data()));
      value.resize(std::strlen(value.c_str()));
      result[name.data()] = value;
    }
  }
  return result;
}

void File::set_attribute(const std::string& object, const std::string& name, const Attribute& value) {
  const Quiet quiet;
  const Handle handle{H5Oopen(state_->file, object.c_str(), H5P_DEFAULT), H5Oclose};
  if (!handle.valid()) state_->fail_library(object, "cannot be opened");
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  const auto* text = std::get_if<std::string>(&value);
  const Handle type{H5Tcopy(text ? H5T_C_S1 : H5T_NATIVE_DOUBLE), H5Tclose};
  if (text) {
    H5Tset_size(type, text->size() + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
  }
  const Handle attribute{H5Acreate2(handle, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
  if (!attribute.valid() ||
      H5Awrite(attribute, type, text ? static_cast<const void*>(text->c_str()) : &std::get<double>(value)) < 0)
    state_->fail_library(object, fmt::format("attribute '{}' cannot be written", name));
}

}  // namespace rtcg::hdf5
