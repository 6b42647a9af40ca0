// What a device format of a sparse matrix gives: a kernel that walks over its rows and runs a RowProgram for each, and
// the buffers that the kernel takes. SpMV, the residual and the products of conjugate gradients are row programs, so a
// new format serves all of them.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "rtcg/compile/compiler.h"
#include "rtcg/compile/template.h"
#include "rtcg/sparse/sparse_matrix.h"

namespace rtcg {

enum class SparseFormat : std::uint8_t {
  automatic,  ///< the fewest bytes a product
  csr,        ///< compressed rows, work-groups over blocks of rows
  sell,       ///< sliced ELLPACK, rows sorted by length within windows
  dia,        ///< whole diagonals without indices
  stencils,   ///< diagonals whose rows are drawn from at most 256 different ones: one byte a row
  packets,    ///< rows in packets whose part of x lies in local memory, 16-bit columns inside (square matrices)
};
const char* name_of(SparseFormat format);

/// Fragments around the sum of a row. Statements see `i` (uint, the row), `sum` (sum_t, the row's product) and what
/// the fragments before declare; `element` is an expression in `j` (int).
struct RowProgram {
  std::string name;              ///< of the kernel
  std::string parameters;        ///< ", global const value_t* x, global value_t* y"
  std::string helpers;           ///< functions in front of the kernel
  std::string declare;           ///< first in the kernel: arrays in local memory
  std::string begin;             ///< before the rows
  std::string condition = "1";   ///< where it is 0 no rows are done; the same for all items of a group
  std::string element = "x[j]";  ///< what the matrix is applied to
  std::string row;               ///< once per row
  std::string end;               ///< after the rows
  unsigned resident = 8;         ///< groups at once on a CUDA multiprocessor; fewer leave more registers to each item
  unsigned wide = 1;             ///< elements are vectors of so many values (1, 2, 4; real types)
  bool reduces = false;          ///< `end` adds up over the group: launch few groups that loop
};

/// What shapes the text besides the matrix.
struct FormatTarget {
  DeviceKind kind = DeviceKind::gpu;  ///< the loop shape, not necessarily the device's own
  unsigned compute_units = 1;
  bool has_double = true;
  static FormatTarget of(const Device& device) {
    const DeviceProperties& p = device.properties();
    return {p.kind, p.compute_units, p.has_double};
  }
  bool cpu() const { return kind != DeviceKind::gpu; }
  unsigned group() const { return cpu() ? 1 : 256; }
  /// Groups that fill the device when so many are at once on a unit of a GPU; sums have one part from each.
  unsigned groups(unsigned resident) const { return compute_units * (cpu() ? 4 : resident); }
};

/// Buffers and values in the order of a kernel's parameters; keeps what it is given.
class SparseArguments {
 public:
  SparseArguments& add(const Buffer& buffer);
  template <class T>
  SparseArguments& add(T value) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    Slot slot;
    std::memcpy(&slot.value, &value, sizeof value);
    slot.type = {scalar_type<T>(), 1, ArgumentSpace::value, sizeof value};
    slots_.push_back(std::move(slot));
    return *this;
  }
  SparseArguments& add(const SparseArguments& others);
  void launch(const Kernel& kernel, const Stream& stream, const Grid& grid) const;

 private:
  struct Slot {
    Buffer buffer;
    std::uint64_t value = 0;
    ArgumentType type;
  };
  std::vector<Slot> slots_;
};

/// A matrix in one format on one device.
struct DeviceMatrix {
  SparseFormat format = SparseFormat::csr;
  FormatTarget target;
  ScalarType dtype = ScalarType::f64;
  std::size_t rows = 0, columns = 0;
  std::string_view text;         ///< the format's kernel text, a template
  TemplateValues values;         ///< what shapes it
  SparseArguments arguments;     ///< the first parameters of its kernels
  std::size_t work_groups = 1;   ///< that cover all rows at once
  std::size_t matrix_bytes = 0;  ///< read once per product
  unsigned most_resident = 8;    ///< more groups than this on a multiprocessor leave its loop too few registers
  std::string summary;           ///< "7 diagonals"

  /// Is an element cheap enough to be computed anew wherever it is used? True where neighbours come from the cache.
  bool computes_elements() const { return format == SparseFormat::dia || format == SparseFormat::stencils; }
  Source source(const RowProgram& program) const;
  Kernel kernel(const Device& device, const RowProgram& program) const;
  /// One launch of a kernel of the format: its own arguments, then the program's.
  void launch(const Kernel& kernel, const Stream& stream, const RowProgram& program,
              const SparseArguments& arguments) const;
  Grid grid(const RowProgram& program) const;
};

/// Template values that every sparse kernel needs (kernels/sparse_common.cl).
TemplateValues common_values(const FormatTarget& target, ScalarType dtype, unsigned wide, unsigned resident);
std::string common_text(const FormatTarget& target, ScalarType dtype, unsigned wide, unsigned resident);

/// Each throws UsageError when the matrix cannot have the format.
DeviceMatrix make_csr(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target, unsigned lanes = 0);
DeviceMatrix make_sell(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target, unsigned slice,
                       std::size_t sort_window);
DeviceMatrix make_dia(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target);
DeviceMatrix make_packets(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target);
DeviceMatrix make_stencils(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target);

/// What formats are judged by; made in one pass over the matrix.
struct MatrixStructure {
  std::vector<std::int64_t> diagonals;  ///< column - row of those in use, ascending; empty when there are over `most`
  std::size_t longest_row = 0, empty_rows = 0;
  static constexpr std::size_t most_diagonals = 64;
  static MatrixStructure of(const SparseMatrix& matrix);
};

/// A format that the matrix can have, and what it would read.
struct WeighedFormat {
  SparseFormat format = SparseFormat::csr;
  std::size_t matrix_bytes = 0;
  double seconds = 0;  ///< of a product, 0 when it was not timed
};
/// The formats that are worth a try, the most promising first: by bytes, those of compressed rows counted a quarter
/// higher because their loads are less regular.
std::vector<WeighedFormat> weigh_formats(const SparseMatrix& matrix, const FormatTarget& target, unsigned slice,
                                         std::size_t sort_window);

}  // namespace rtcg
