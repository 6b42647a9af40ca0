#include "dgfem/output/vtk_xml.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::dgfem {

namespace {

static_assert(std::endian::native == std::endian::little, "files are declared little endian");

constexpr std::size_t block_bytes = std::size_t{1} << 18;
constexpr std::size_t blocks_at_once = 256;  // bounds the memory for compressed data
constexpr int level = 1;                     // of floats, more effort gains next to nothing

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

using Block = std::vector<Bytef>;

Block compressed(std::span<const std::byte> bytes) {
  uLongf size = compressBound(bytes.size());
  Block block(size);
  if (compress2(block.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level) != Z_OK)
    throw Error("zlib cannot compress a block of output: out of memory");
  block.resize(size);
  return block;
}

std::vector<Block> compressed_blocks(std::span<const std::byte> bytes) {
  std::vector<Block> blocks((bytes.size() + block_bytes - 1) / block_bytes);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (std::size_t k = next++; k < blocks.size() && !failed; k = next++) try {
        blocks[k] = compressed(bytes.subspan(k * block_bytes, std::min(block_bytes, bytes.size() - k * block_bytes)));
      } catch (const std::exception&) {
        failed = true;
      }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t threads = std::min<std::size_t>(std::thread::hardware_concurrency(), blocks.size());
    for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
    work();
  }
  if (failed) throw Error("zlib cannot compress a block of output: out of memory");
  return blocks;
}

class Writer {
 public:
  Writer(const std::filesystem::path& path, std::string shown)
      : shown_(std::move(shown)), out_(path, std::ios::binary | std::ios::trunc) {
    errno = 0;
  }

  void text(const std::string& text) { raw(text.data(), text.size()); }

  /// Leaves room for the offset, known only when the arrays before are compressed.
  void declare(const VtkArray& array) {
    text("        " + array.element() + " format=\"appended\" offset=\"");
    offsets_.push_back(out_.tellp());
    text(std::string(offset_digits, '0') + "\"/>\n");
  }
  void begin_data() { data_ = out_.tellp(); }

  void data(std::size_t declared, std::span<const std::byte> bytes) {
    const std::streampos start = out_.tellp();
    out_.seekp(offsets_[declared]);
    text(fmt::format("{:0{}}", static_cast<std::uint64_t>(start - data_), offset_digits));
    out_.seekp(start);
    const std::size_t blocks = (bytes.size() + block_bytes - 1) / block_bytes;
    std::vector<std::uint64_t> header{blocks, block_bytes, bytes.size() % block_bytes};
    header.resize(3 + blocks);
    raw(header.data(), header.size() * sizeof header[0]);
    for (std::size_t first = 0; first < blocks; first += blocks_at_once) {
      const std::size_t from = first * block_bytes;
      const std::vector<Block> packed =
          compressed_blocks(bytes.subspan(from, std::min(blocks_at_once * block_bytes, bytes.size() - from)));
      for (std::size_t k = 0; k < packed.size(); ++k) {
        header[3 + first + k] = packed[k].size();
        raw(packed[k].data(), packed[k].size());
      }
    }
    const std::streampos end = out_.tellp();
    out_.seekp(start);
    raw(header.data(), header.size() * sizeof header[0]);
    out_.seekp(end);
  }

  void close() {
    out_.close();
    if (!out_) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("{}: cannot be written whole: {}", shown_,
                                 errno != 0 ? std::strerror(errno) : "the reason is not known"));
  }
  void raw(const void* bytes, std::size_t size) {
    if (!out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size))) fail();
  }

  static constexpr int offset_digits = 19;
  std::string shown_;
  std::ofstream out_;
  std::vector<std::streampos> offsets_;
  std::streampos data_;
};

}  // namespace

VtkArray VtkArray::of_texts(std::string name, std::vector<std::string> texts) {
  VtkArray array(std::move(name), "String", 1, {});
  array.texts_ = texts.size();
  array.give_ = [texts = std::move(texts)](const Sink& sink) {
    std::string all;  // each ended by a zero
    for (const std::string& text : texts) all.append(text.c_str(), text.size() + 1);
    sink(std::as_bytes(std::span(all)));
  };
  return array;
}

std::string VtkArray::element() const {
  return std::string_view(type_) == "String"
             ? fmt::format("<Array type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\"", escaped(name_), texts_)
             : fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", type_, escaped(name_),
                           components_);
}

void write_vtk(const std::filesystem::path& file, const VtkFile& content) {
  AsideFile aside(file);
  Writer writer(aside.path(), file.string());
  writer.text(
      fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"{1}\" byte_order=\"LittleEndian\" "
                  "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n  <{0} {2}>\n",
                  content.grid, content.version, content.grid_attributes));
  writer.text("    <FieldData>\n");
  if (content.time)
    writer.text(
        fmt::format("      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}"
                    "</DataArray>\n",
                    *content.time));
  for (const VtkArray& array : content.texts) writer.declare(array);
  writer.text("    </FieldData>\n");
  writer.text(fmt::format("    <Piece {}>\n", content.piece_attributes));
  for (const VtkSection& section : content.sections) {
    writer.text(fmt::format("      <{}>\n", section.element));
    for (const VtkArray& array : section.arrays) writer.declare(array);
    writer.text(fmt::format("      </{}>\n", section.element));
  }
  writer.text(fmt::format("    </Piece>\n  </{}>\n  <AppendedData encoding=\"raw\">\n_", content.grid));
  writer.begin_data();
  std::size_t declared = 0;
  const auto give = [&](const VtkArray& array) {
    array.give([&](std::span<const std::byte> bytes) { writer.data(declared++, bytes); });
  };
  for (const VtkArray& array : content.texts) give(array);
  for (const VtkSection& section : content.sections)
    for (const VtkArray& array : section.arrays) give(array);
  writer.text("\n  </AppendedData>\n</VTKFile>\n");
  writer.close();
  aside.commit();
}

}  // namespace rtcg::dgfem
