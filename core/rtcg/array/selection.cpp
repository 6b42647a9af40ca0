#include "rtcg/array/selection.h"

#include <fmt/format.h>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/evaluate.h"
#include "rtcg/array/phases.h"
#include "rtcg/array/scan_skeleton.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

Stream stream_for(std::span<const Expression> expressions, const char* what) {
  const std::optional<Stream> stream = stream_of(expressions);
  if (!stream) throw UsageError(fmt::format("{}: no operand is an array, so there is no stream to run on", what));
  return *stream;
}

std::string store_text(Dtype type, const std::string& target, const std::string& place, const std::string& value) {
  return type == Dtype::f16 ? fmt::format("vstore_half({}, {}, {});", value, place, target)
                            : fmt::format("{}[{}] = {};", target, place, value);
}
std::string load_text(Dtype type, const std::string& source, const std::string& place) {
  return type == Dtype::f16 ? fmt::format("vload_half({}, {})", place, source) : fmt::format("{}[{}]", source, place);
}
std::string unequal_text(Dtype type, const std::string& a, const std::string& b) {
  return is_complex(type) ? fmt::format("({0}.x != {1}.x || {0}.y != {1}.y)", a, b) : fmt::format("({} != {})", a, b);
}

/// One scan over expressions that makes arrays of a length known only to the device.
class Selector {
 public:
  Selector(std::span<const Expression> expressions, const char* name)
      : name_(name), stream_(stream_for(expressions, name)) {
    for (const Expression& e : expressions) nodes_.push_back(e.node());
    order_streams(stream_, nodes_, false);
    for (const Expression& e : expressions) {
      try {
        shape_ = broadcast(shape_, e.shape());
      } catch (const UsageError&) {
        throw UsageError(fmt::format("{}: shapes {} and {} do not fit", name, to_string(shape_), to_string(e.shape())));
      }
    }
    for (const Expression& e : expressions)
      roots_.push_back(fitted(stream_, without_phases(stream_, make_cast(e.node(), e.dtype())), shape_));
    count_ = element_count(shape_);
    total_ = Array::empty(stream_, {1}, Dtype::u64);
    text_.name = name;
    const bool wide = count_ > std::numeric_limits<std::uint32_t>::max();
    text_.value_type = wide ? "ulong" : "uint";
    text_.value_bytes = wide ? 8 : 4;
    text_.combine = "a + b";
    text_.neutral = "0";
  }

  const Stream& stream() const { return stream_; }
  std::int64_t count() const { return count_; }
  const Array& total() const { return total_; }
  ScanText& text() { return text_; }
  Dtype type(std::size_t root) const { return roots_[root]->dtype; }

  /// Root `root` under a name that the output statement may use.
  std::string carry(std::size_t root) {
    text_.carried.push_back({compute_name(type(root)), fmt::format("value{}", root), fmt::format("${}", root)});
    return text_.carried.back().name;
  }
  /// Memory for as many elements as there are, and the statement that stores to it.
  Array make_output(Dtype type) {
    outputs_.push_back(Array::empty(stream_, {count_}, type));
    return outputs_.back();
  }
  std::string store(std::size_t output, const std::string& place, const std::string& value) const {
    return store_text(outputs_[output].dtype(), fmt::format("result{}", output), place, value);
  }
  /// Memory to read at any place; the array is contiguous.
  std::string make_source(const Array& array) {
    sources_.push_back(array);
    const std::size_t s = sources_.size() - 1;
    return fmt::format("source{}", s);
  }

  /// Elements whose condition holds, each with these roots in outputs 0, 1 ...
  void select(const std::string& condition, const std::vector<std::string>& values) {
    text_.value = condition;
    for (std::size_t v = 0; v < values.size(); ++v)
      text_.selected.push_back({outputs_[v].dtype(), values[v], fmt::format("result{}", v)});
    text_.finish = "*selected_total = last_count;";
    launch();
  }
  /// `output`: statements; `last`: how many there are, from the last item.
  void run(const std::string& output, const std::string& last) {
    text_.output = fmt::format("{} if (i == N - 1) *selected_total = {};", output, last);
    launch();
  }

  /// Waits; views of the outputs' selected parts.
  std::vector<Array> sized() const {
    const auto n = static_cast<std::int64_t>(total_.item<std::uint64_t>());
    std::vector<Array> results;
    for (const Array& output : outputs_) results.push_back(output(Slice{0, n}));
    return results;
  }
  std::vector<Array> outputs() const { return outputs_; }

 private:
  void launch() {
    for (std::size_t s = 0; s < sources_.size(); ++s)
      text_.parameters +=
          fmt::format("global const {}* source{}, const ulong offset{}, ", storage_name(sources_[s].dtype()), s, s);
    for (std::size_t r = 0; r < outputs_.size(); ++r)
      text_.parameters += fmt::format("global {}* result{}, ", storage_name(outputs_[r].dtype()), r);
    text_.parameters += "global ulong* selected_total, ";
    if (count_ == 0) {
      total_.buffer().zero(stream_);
      return;
    }
    const LoopBody body(stream_.device(), roots_, shape_, {});
    if (!body.fits())
      throw UsageError(fmt::format("{}: too many operands for one kernel; make some of them Arrays", name_));
    ArgumentList list;
    for (const Array& source : sources_) {
      list.buffer(source.buffer(), source.dtype());
      list.value(static_cast<std::uint64_t>(source.offset()));
    }
    for (const Array& result : outputs_) list.buffer(result.buffer(), result.dtype());
    list.buffer(total_.buffer(), Dtype::u64);
    run_scan(stream_, text_, body, list.arguments());
    order_streams(stream_, nodes_, true);
  }

  std::string name_;
  Stream stream_;
  std::vector<NodePtr> nodes_, roots_;
  Shape shape_;
  std::int64_t count_ = 0;
  Array total_;
  ScanText text_;
  std::vector<Array> outputs_, sources_;
};

/// Flat and contiguous, as reading the neighbour demands.
Array flat(const Expression& x) {
  return Array(x).contiguous().ravel();
}

/// "Is element i unlike the one before it?", for contiguous keys that are operand `$root` too.
std::string head_text(Selector& selector, const Array& keys, const std::string& root) {
  const std::string source = selector.make_source(keys);
  const std::string offset = "offset" + source.substr(6);
  const std::string before = load_text(keys.dtype(), source, fmt::format("{} + i - 1", offset));
  return fmt::format("(i == 0 || {})", unequal_text(keys.dtype(), root, before));
}

std::vector<Expression> with_first(const Expression& first, std::span<const Expression> others) {
  std::vector<Expression> all{first};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Selector filtered(std::span<const Expression> values, const Expression& keep, const char* name) {
  Selector selector(with_first(keep.astype(Dtype::boolean), values), name);
  std::vector<std::string> roots;
  for (std::size_t v = 0; v < values.size(); ++v) {
    selector.make_output(values[v].dtype());
    roots.push_back(fmt::format("${}", v + 1));
  }
  selector.select("$0", roots);
  return selector;
}

}  // namespace

Array filter(const Expression& values, const Expression& keep) {
  return filter({&values, 1}, keep)[0];
}

std::vector<Array> filter(std::span<const Expression> values, const Expression& keep) {
  return filtered(values, keep, "filter").sized();
}

Array remove_if(const Expression& values, const Expression& drop) {
  return filter(values, !drop);
}

PendingFilter filter_on_device(std::span<const Expression> values, const Expression& keep) {
  const Selector selector = filtered(values, keep, "filter");
  return {selector.outputs(), selector.total()};
}

Array flat_nonzero(const Expression& x) {
  return filter(indices(x.shape()), x.astype(Dtype::boolean));
}

std::pair<Array, Array> partition(const Expression& values, const Expression& condition) {
  const Expression both[] = {condition.astype(Dtype::boolean), values};
  Selector selector(both, "partition");
  selector.text().value = "$0 ? 1 : 0";
  selector.make_output(values.dtype()), selector.make_output(values.dtype());
  const std::string value = selector.carry(1);
  selector.run(fmt::format("if (item != prev_item) {{ {} }} else {{ {} }}", selector.store(0, "prev_item", value),
                           selector.store(1, "i - item", value)),
               "last_item");
  const auto n = static_cast<std::int64_t>(selector.total().item<std::uint64_t>());
  const std::vector<Array> outputs = selector.outputs();
  return {outputs[0](Slice{0, n}), outputs[1](Slice{0, selector.count() - n})};
}

Array unique_neighbours(const Expression& x) {
  const Array keys = flat(x);
  const Expression roots[] = {keys};
  Selector selector(roots, "unique");
  selector.make_output(keys.dtype());
  selector.select(head_text(selector, keys, "$0"), {"$0"});
  return selector.sized()[0];
}

std::pair<Array, Array> unique_by_key(const Expression& keys, const Expression& values) {
  if (keys.size() != values.size())
    throw UsageError(fmt::format("unique_by_key: {} keys and {} values", keys.size(), values.size()));
  const Array flat_keys = flat(keys), flat_values = flat(values);
  const Expression roots[] = {flat_keys, flat_values};
  Selector selector(roots, "unique_by_key");
  selector.make_output(flat_keys.dtype());
  selector.make_output(flat_values.dtype());
  selector.select(head_text(selector, flat_keys, "$0"), {"$0", "$1"});
  const std::vector<Array> results = selector.sized();
  return {results[0], results[1]};
}

Runs run_length_encode(const Expression& x) {
  const Array keys = flat(x);
  const Expression roots[] = {keys};
  Selector selector(roots, "run_length_encode");
  selector.make_output(keys.dtype());
  selector.make_output(Dtype::i64);
  selector.select(head_text(selector, keys, "$0"), {"$0", "(long)i"});
  const std::vector<Array> results = selector.sized();
  const std::int64_t runs = results[0].size();
  if (runs == 0) return {results[0], results[1]};
  const Expression next = indices({runs}) + 1;
  const Expression end = where(next < runs, take(results[1], minimum(next, runs - 1)), selector.count());
  return {results[0], Array(end - results[1])};
}

std::pair<Array, Array> reduce_by_key(const Expression& keys, const Expression& values,
                                      const ScanOperation& operation) {
  if (keys.size() != values.size())
    throw UsageError(fmt::format("reduce_by_key: {} keys and {} values", keys.size(), values.size()));
  const Array flat_keys = flat(keys);
  const Expression flat_values = values.shape().size() == 1 ? values : Expression(Array(values).contiguous().ravel());
  const Expression roots[] = {flat_keys, flat_values};
  Selector selector(roots, "reduce_by_key");
  const Dtype type = values.dtype();
  ScanText& text = selector.text();
  // The value of the run so far, and how many runs have started.
  text.functions = fmt::format(
      R"({0}
static inline {1} key_join(const {1} a, const {1} b) {{ return {2}; }}
static inline {1} key_neutral(void) {{
  const {1} neutral = {3};
  return neutral;
}}
typedef struct {{
  {1} value;
  {4} runs;
}} key_sum;
static inline key_sum key_begin(const {1} value, const {4} runs) {{
  key_sum sum;
  sum.value = value;
  sum.runs = runs;
  return sum;
}}
static inline key_sum key_combine(const key_sum a, const key_sum b) {{
  return key_begin(b.runs != 0 ? b.value : key_join(a.value, b.value), a.runs + b.runs);
}}
)",
      operation.functions, compute_name(type), operation.combine, operation.neutral, text.value_type);
  const std::string head = head_text(selector, flat_keys, "$0");
  const std::string next = load_text(flat_keys.dtype(), "source0", "offset0 + i + 1");
  text.value = fmt::format("key_begin($1, {} ? 1 : 0)", head);
  text.carried.push_back(
      {"uint", "ends", fmt::format("i == N - 1 || {}", unequal_text(flat_keys.dtype(), "$0", next))});
  text.value_bytes = 2 * std::max<std::size_t>(size_of(type), text.value_bytes);
  text.value_type = "key_sum";
  text.combine = "key_combine(a, b)";
  text.neutral = "key_begin(key_neutral(), 0)";
  selector.make_output(flat_keys.dtype()), selector.make_output(type);
  const std::string key = selector.carry(0);
  selector.run(fmt::format("if (ends) {{ {} {} }}", selector.store(0, "item.runs - 1", key),
                           selector.store(1, "item.runs - 1", "item.value")),
               "last_item.runs");
  const std::vector<Array> results = selector.sized();
  return {results[0], results[1]};
}

}  // namespace rtcg
