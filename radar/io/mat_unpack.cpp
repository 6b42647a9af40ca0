#ifdef RTCG_WITH_MATIO
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "radar/io/mat_structure.h"
#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

// Echoes are close to noise: what unpacks to more than this is no phase history but an attack on the memory.
constexpr std::uint64_t most_gain = 100, always_allowed = std::uint64_t{1} << 20;
constexpr std::size_t piece = 1 << 16;

class Unpacker {
 public:
  Unpacker(const std::filesystem::path& file, int memory)
      : name_(file.string()), in_(file, std::ios::binary), memory_(memory) {}

  void copy_header() {
    std::array<char, 128> header{};
    if (!in_.read(header.data(), header.size())) fail("cannot be read");
    append(header.data(), header.size());
  }

  void unpack(const MatPacked& packed) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) fail("no memory to unpack a variable");
    try {
      inflate_all(stream, packed);
    } catch (...) {
      inflateEnd(&stream);
      throw;
    }
    inflateEnd(&stream);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", name_, what)); }

  void inflate_all(z_stream& stream, const MatPacked& packed) {
    const std::uint64_t most = packed.bytes * most_gain + always_allowed;
    std::uint64_t left = packed.bytes, made = 0;
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(packed.offset));
    for (int result = Z_OK; result != Z_STREAM_END;) {
      if (stream.avail_in == 0) {
        const std::size_t count = std::min<std::uint64_t>(left, piece);
        if (count == 0 || !in_.read(input_.data(), static_cast<std::streamsize>(count)))
          fail(fmt::format("byte {}: a compressed variable ends early; the file is truncated or damaged",
                           packed.offset));
        left -= count;
        stream.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream.avail_in = static_cast<uInt>(count);
      }
      stream.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream.avail_out = static_cast<uInt>(output_.size());
      result = inflate(&stream, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        fail(fmt::format("byte {}: a compressed variable is damaged ({})", packed.offset,
                         stream.msg ? stream.msg : "zlib gives no reason"));
      made += output_.size() - stream.avail_out;
      if (made > most)
        fail(fmt::format("byte {}: a variable of {} compressed bytes unpacks to more than {}; phase history does not",
                         packed.offset, packed.bytes, most));
      append(output_.data(), output_.size() - stream.avail_out);
    }
    const std::array<char, 8> zeros{};
    append(zeros.data(), (8 - made % 8) % 8);
  }

  void append(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = write(memory_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail(fmt::format("cannot be unpacked: {}", std::strerror(errno)));
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
  }

  std::string name_;
  std::ifstream in_;
  int memory_;
  std::array<char, piece> input_{}, output_{};
};

}  // namespace

PlainMat::PlainMat(const std::filesystem::path& file) : path_(file) {
  const std::vector<MatPacked> packed = check_mat_structure(file, file.string());
  if (packed.empty()) return;
  memory_ = memfd_create("rtcg_mat", MFD_CLOEXEC);
  if (memory_ < 0) throw InputError(fmt::format("{}: cannot be unpacked: {}", file.string(), std::strerror(errno)));
  path_ = fmt::format("/proc/self/fd/{}", memory_);
  try {
    Unpacker unpacker(file, memory_);
    unpacker.copy_header();
    for (const MatPacked& variable : packed) unpacker.unpack(variable);
    if (!check_mat_structure(path_, file.string() + " (unpacked)").empty())
      throw InputError(fmt::format("{}: a compressed variable inside a compressed variable", file.string()));
  } catch (...) {
    close(memory_);
    throw;
  }
}

PlainMat::~PlainMat() {
  if (memory_ >= 0) close(memory_);
}

}  // namespace rtcg::radar
#endif
