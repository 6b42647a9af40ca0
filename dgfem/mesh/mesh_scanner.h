// Reads a mesh file held in memory token by token or, where a binary part begins, number by number. Every failure is an
// InputError "FILE:LINE: what", in binary parts "FILE: byte N: what"; nothing is allocated on a file's word alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rtcg::dgfem {

class MeshScanner {
 public:
  /// `text` must outlive the scanner; `name` stands for the file in messages.
  MeshScanner(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& what) const;
  /// Fails at a place noted before.
  [[noreturn]] void fail_at(std::size_t position, const std::string& what) const;
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return text_.size() - position_; }
  const std::string& name() const { return name_; }

  /// The rest of the line without blanks around it; goes to the next one. Fails at the end of the file.
  std::string_view line(const char* what);
  /// The same, but false at the end of the file.
  bool next_line(std::string_view& line);
  std::string_view word(const char* what);
  std::int64_t integer(const char* what);
  double real(const char* what);
  /// A count of things that take at least `bytes` of the file each: fails when they cannot follow.
  std::size_t count(const char* what, std::size_t bytes);

  /// Skips the next line that is not blank if it begins with this word.
  void skip_line_of(std::string_view word);
  void raw(void* target, std::size_t bytes, const char* what);
  template <class T>
  T raw(const char* what) {
    T value;
    raw(&value, sizeof(T), what);
    if (swap_bytes_) swap(&value, sizeof(T));
    return value;
  }
  void swap_bytes(bool swap) { swap_bytes_ = swap; }
  void check_count(std::uint64_t value, const char* what, std::size_t bytes) const;
  /// Whether failures are told by byte.
  void binary(bool binary) { binary_ = binary; }
  /// Goes behind the next occurrence of the text; false (and nowhere) when there is none.
  bool skip_past(std::string_view text);

 private:
  void skip_blanks();
  static void swap(void* value, std::size_t bytes);

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0, token_ = 0;  // of the next character, and where the last token began
  bool swap_bytes_ = false, binary_ = false;
};

/// A whole file. InputError when it cannot be read.
std::string mesh_file_text(const std::filesystem::path& file);

/// The words of a line.
std::string_view next_word(std::string_view& line);

}  // namespace rtcg::dgfem
