// A fused loop: the local part of an expression graph, linearised over a loop shape whose dimensions are merged as far
// as every operand allows. The key names the code it needs, so a kernel is looked up before any text is made; the text
// comes as fragments for a skeleton (kernels/elementwise.cl, reduce.cl, scan.cl ...).
//
// Fragments (V = lanes(); `i` is a linear position in C order of the loop shape, of type index_t; names end in `_`):
//   parameters     start of the kernel's parameter list, every parameter followed by a comma; may be empty
//   functions      text in front of the kernel: typedefs index_t and stride_t, helpers, users' functions
//   declare_lanes  "float in0_[V];" and values that do not change in the loop; at the top of the kernel
//   load_run       V elements starting at position `i` into the lanes; i is a multiple of V and the run is whole
//   load_one       element `i` into lane `k`
//   row_start      where an operand needs the coordinates of `i` (else empty): declares row_, the position at which the
//                  row of `i` starts, row_length_, and x_, a variable, the place of `i` in its row
//   load_in_row    element `i` = row_ + x_ into lane `k`, without a division; store_in_row likewise
//   load_down      element `i` + k rows of the last dimension but one into lane `k`; store_down likewise; only where
//   down_start     is given (walks_down): from the item `j_`, its first element `i` and rows_, how many rows it has
//   compute        from lane `k` (of element `i`): statements that declare local names
//   results        C expressions of the results, valid after `compute`
//   keep           results into the output lanes: "out0_[k] = v3_;" (only with outputs; declared by declare_lanes)
//   store_run, store_one   output lanes to memory, as load_*
#pragma once

#include <array>
#include <memory_resource>
#include <string>
#include <vector>

#include "rtcg/array/array.h"
#include "rtcg/compile/kernel.h"

namespace rtcg {

struct BodyText {
  std::string parameters, functions, declare_lanes, load_run, load_one, compute, keep, store_run, store_one;
  std::string row_start, load_in_row, store_in_row;
  std::string down_start, load_down, store_down;
  std::vector<std::string> results;
  std::vector<Dtype> result_types;
};

/// Arguments of one launch. The values of `value` are copied; buffers and bytes must outlive the launch call.
class ArgumentList {
 public:
  void buffer(const Buffer& buffer, Dtype type);
  void bytes(const void* data, std::size_t bytes, ScalarType type);
  template <class T>
  void value(const T& value) {
    bytes(store(&value, sizeof(T)), sizeof(T), scalar_type<T>());
  }
  void copy(const Scalar& scalar);
  void add(const Argument& argument);  ///< as it is; refers to its data
  void structure(const void* data, std::size_t bytes) { this->bytes(store(data, bytes), bytes, ScalarType::unknown); }
  std::span<const Argument> arguments() const { return {list_.data(), count_}; }

 private:
  const void* store(const void* data, std::size_t bytes);
  std::array<Argument, Kernel::most_arguments> list_;
  alignas(16) std::array<std::byte, 512> storage_;
  std::size_t count_ = 0, used_ = 0;
};

/// As a kernel's parameter of the type takes it; refers to the value where it has the type.
void append_scalar(ArgumentList& list, const Scalar& value, Dtype type);
/// Elements of a run on a GPU: 16 bytes of the widest type, in bytes.
unsigned run_lanes(std::size_t widest);

class LoopBody {
 public:
  /// Roots free of totals, each broadcastable to `shape`; `outputs` of that shape, any number; `keep` writes the
  /// first results to them.
  /// `split`: dimensions [0, split) and [split, ...) are not merged with each other. `cpu_lanes`: V on a CPU; on a GPU
  /// V makes the widest element's access 16 bytes. Nodes and arrays must outlive the body.
  LoopBody(const Device& device, std::span<const NodePtr> roots, const Shape& shape,
           std::span<const Array> outputs = {}, int split = 0, unsigned cpu_lanes = 1);
  LoopBody(const LoopBody&) = delete;
  LoopBody& operator=(const LoopBody&) = delete;

  /// False when it takes more than a kernel may have (operands, walk words): materialise a part and try again.
  bool fits() const { return fits_; }
  std::int64_t count() const { return count_; }  ///< elements of the loop shape
  unsigned lanes() const { return lanes_; }
  const Dims& outer() const { return outer_; }  ///< merged extents before the split ...
  const Dims& inner() const { return inner_; }  ///< ... and after it (all of them when split is 0)
  std::int64_t inner_count() const { return element_count(inner_); }
  std::string_view key() const { return key_; }
  std::size_t nodes() const { return nodes_.size(); }
  /// Where rows are not aligned, items that work on elements side by side are faster (measured on an H200: a window of
  /// a matrix at 3.0 TB/s instead of 2.65; operands that are one run do not mind).
  bool prefers_runs() const;
  /// Windows of one array that lie rows apart, on a GPU: an item takes V rows of a column, so that all but the first
  /// reads of a row hit the first cache (on an H200 a Jacobi step over 8194 x 8194 is limited by the second).
  bool walks_down() const { return walks_down_; }
  std::size_t items() const;                                 ///< of the kernel that walks down
  bool is_aliased() const { return aliased_; }               ///< an output's memory is read
  bool reads_elsewhere() const { return reads_elsewhere_; }  ///< ... at other places than the one written

  void append_arguments(ArgumentList& list) const;
  std::vector<Buffer> inputs() const;  ///< memory that it reads
  BodyText text() const;

  static constexpr std::size_t most_operands = 32, most_walk_bytes = 255;
  static constexpr std::size_t most_single_scalars = 8, most_scalar_bytes = 240;  ///< more travel in one structure

 private:
  friend class LoopText;
  enum class Role : std::uint8_t { input, index, source, output };              ///< source: of take, read at any place
  enum class Walk : std::uint8_t { linear, uniform, rows, repeated, general };  ///< rows: stride 1 inside; repeated: 0
  struct Operand {
    const ArrayNode* array = nullptr;  ///< none for Role::index, whose value is its own offset
    const IndexNode* index = nullptr;
    Strides strides;  ///< of the loop shape, then merged
    std::int64_t offset = 0, source_size = 0;
    Dtype type = Dtype::unknown;
    Role role = Role::input;
    Walk walk = Walk::linear;
    bool is_aligned = false;
    int word = -1;  ///< its first word in the walk structure: offset, then strides; -1: offset 0 and no strides
  };
  struct Linear {
    const Node* node = nullptr;
    std::array<std::uint16_t, 3> operands{};  ///< slots; of Op::call: first and count in call_slots_
    int place = -1;                           ///< in operands_ or scalars_
    Dtype type = Dtype::unknown;              ///< of the value: the node's, of a weak scalar what its user wants
  };

  struct ScalarUse {
    const Scalar* value;
    Dtype type;
  };

  std::uint16_t add(const NodePtr& node, const Shape& shape, Dtype wanted);
  int add_operand(const Node& node, const Shape& shape);
  static Strides strides_of(const Operand& operand, const Shape& shape);
  void merge(const Shape& shape, int split);
  void decide_lanes(const Device& device, unsigned cpu_lanes);
  void decide_walks(const Device& device);
  void decide_walk(Operand& operand, bool is_cuda);
  void add_divisors();
  void decide_down(const Device& device);
  bool packs_scalars() const { return scalars_.size() > most_single_scalars; }
  std::size_t scalar_bytes() const;
  std::vector<std::size_t> scalar_order() const;  ///< in their structure: wide ones first, so that nothing is padded
  void form_key();

  std::array<std::byte, 4096> arena_;
  std::pmr::monotonic_buffer_resource resource_{arena_.data(), arena_.size()};
  std::pmr::vector<Linear> nodes_{&resource_};
  std::pmr::vector<std::uint16_t> call_slots_{&resource_}, root_slots_{&resource_};
  std::pmr::vector<Operand> operands_{&resource_};
  std::pmr::vector<ScalarUse> scalars_{&resource_};
  std::pmr::vector<Dtype> root_types_{&resource_};
  Dims outer_, inner_, extents_;
  std::int64_t count_ = 0;
  unsigned lanes_ = 1;
  std::size_t output_count_ = 0;
  int divisors_ = -1;     ///< first of two words for each extent but the first, by which one divides; -1: none
  bool is_whole_ = true;  ///< every operand is contiguous in the loop's shape or one element
  bool cpu_ = false, wide_ = false, whole_rows_ = false, aliased_ = false, reads_elsewhere_ = false, fits_ = true;
  bool walks_down_ = false;
  /// Extents (of more than one dimension), then operands' words, then the divisors.
  std::pmr::vector<std::int64_t> walk_{&resource_};
  std::pmr::vector<std::int32_t> walk_narrow_{&resource_};  ///< the same, as launched when 32 bits do
  std::pmr::string key_{&resource_};
};

}  // namespace rtcg
