// The text of a LoopBody.
#include <fmt/format.h>

#include <algorithm>

#include "rtcg/array/loop_body.h"
#include "rtcg/error.h"

namespace rtcg {

class LoopText {
 public:
  explicit LoopText(const LoopBody& body) : b_(body) {}

  BodyText write() {
    BodyText text;
    text.parameters = parameters();
    text.declare_lanes = declare_lanes();
    text.load_run = access_run(false);
    text.load_one = access_one(false, "i", "k");
    const bool in_rows = needs_coordinates(false) || needs_coordinates(true);
    if (in_rows) {
      text.row_start = row_start();
      text.load_in_row = access_in_row(false);
    }
    if (b_.walks_down_) {
      text.down_start = down_start();
      text.load_down = access_down(false);
      text.store_down = access_down(true);
    }
    text.compute = compute();
    for (std::size_t r = 0; r < b_.root_slots_.size(); ++r) {
      text.results.push_back(value(b_.root_slots_[r]));
      text.result_types.push_back(b_.root_types_[r]);
    }
    if (b_.output_count_ > 0) {
      for (std::size_t r = 0; r < std::min(text.results.size(), b_.output_count_); ++r)
        text.keep += fmt::format("out{}_[k] = {};\n", r, text.results[r]);
      text.store_run = access_run(true);
      text.store_one = access_one(true, "i", "k");
      if (in_rows) text.store_in_row = access_in_row(true);
    }
    text.functions = functions(text.compute + text.load_run + text.store_run);
    return text;
  }

 private:
  using Operand = LoopBody::Operand;
  using Role = LoopBody::Role;
  using Walk = LoopBody::Walk;

  std::string lane_array(std::size_t p) const {
    return b_.operands_[p].role == Role::output ? fmt::format("out{}_", output_number(p)) : fmt::format("in{}_", p);
  }
  std::size_t output_number(std::size_t p) const { return p - (b_.operands_.size() - b_.output_count_); }
  std::string word(int w) const { return fmt::format("w_.v[{}]", w); }
  int dims() const { return b_.extents_.size(); }

  std::string parameters() const {
    std::string list;
    const char* restrict_word = b_.aliased_ ? "" : "restrict ";
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if (o.array != nullptr)
        list += fmt::format("global {}{}* {}p{}_, ", o.role == Role::output ? "" : "const ", storage_name(o.type),
                            restrict_word, p);
    }
    if (!b_.walk_.empty()) list += "const walk_t w_, ";
    if (b_.packs_scalars()) return list + "const scalars_t s_, ";
    for (std::size_t s = 0; s < b_.scalars_.size(); ++s)
      list += fmt::format("const {} s{}_, ", compute_name(b_.scalars_[s].type), s);
    return list;
  }

  std::string functions(const std::string& calls) const {
    std::string text = fmt::format("typedef {} index_t;\ntypedef {} stride_t;\n", b_.wide_ ? "ulong" : "uint",
                                   b_.wide_ ? "long" : "int");
    if (!b_.walk_.empty()) text += fmt::format("typedef struct {{ stride_t v[{}]; }} walk_t;\n", b_.walk_.size());
    if (b_.packs_scalars()) {
      text += "typedef struct {";
      for (const std::size_t s : b_.scalar_order())
        text += fmt::format(" {} s{}_;", compute_name(b_.scalars_[s].type), s);
      text += " } scalars_t;\n";
    }
    text += operation_helpers(calls);
    std::vector<const FunctionText*> seen;
    for (const LoopBody::Linear& linear : b_.nodes_) {
      if (linear.node->op != Op::call) continue;
      const FunctionText* function = static_cast<const CallNode*>(linear.node)->function.get();
      if (std::any_of(seen.begin(), seen.end(), [&](const FunctionText* f) { return f->text == function->text; }))
        continue;
      if (std::any_of(seen.begin(), seen.end(), [&](const FunctionText* f) { return f->name == function->name; }))
        throw UsageError(fmt::format("function {0}: two different functions named {0} meet in one kernel; rename one",
                                     function->name));
      seen.push_back(function);
      text += fmt::format("#line 1 \"{}\"\n{}\n#line 1 \"generated\"\n", function->name, function->text);
    }
    return text;
  }

  std::string load(const Operand& o, std::size_t p, const std::string& place) const {
    return o.type == Dtype::f16 ? fmt::format("vload_half({}, p{}_)", place, p) : fmt::format("p{}_[{}]", p, place);
  }
  std::string store(const Operand& o, std::size_t p, const std::string& place, const std::string& from) const {
    return o.type == Dtype::f16 ? fmt::format("vstore_half({}, {}, p{}_);\n", from, place, p)
                                : fmt::format("p{}_[{}] = {};\n", p, place, from);
  }

  std::string declare_lanes() const {
    std::string text;
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if (o.role == Role::source) continue;
      if (o.walk == Walk::uniform && o.role != Role::output) {
        const std::string place = o.word >= 0 ? word(o.word) : "0";
        text += fmt::format("const {} in{}_ = {};\n", compute_name(o.type), p,
                            o.role == Role::index ? place : load(o, p, place));
      } else {
        text += fmt::format("{} {}[{}];\n", compute_name(o.type), lane_array(p), b_.lanes_);
      }
    }
    return text;
  }

  /// Element offset of an operand at position `i`, whose coordinates are c0_, c1_ ... (of more than one dimension).
  std::string place_of(const Operand& o, const std::string& i) const {
    std::string place;
    if (o.walk == Walk::linear) {
      place = i;
      return o.word >= 0 ? fmt::format("{} + {}", word(o.word), place) : place;
    }
    place = o.word >= 0 ? word(o.word) : "0";
    for (int d = 0; d < dims(); ++d) {
      const std::string coordinate = dims() == 1 ? fmt::format("(stride_t)({})", i) : fmt::format("c{}_", d);
      place += fmt::format(" + {} * {}", coordinate, word(o.word + 1 + d));
    }
    return place;
  }

  /// Does any operand that this access touches need coordinates?
  bool needs_coordinates(bool storing) const {
    if (dims() < 2) return false;
    for (const Operand& o : b_.operands_)
      if ((o.role == Role::output) == storing && o.role != Role::source && o.walk >= Walk::rows) return true;
    return false;
  }
  std::string coordinates(const std::string& i) const {
    std::string text = fmt::format("index_t r_ = {};\n", i);
    for (int d = dims() - 1; d > 0; --d) {
      const int divisor = b_.divisors_ + 2 * (d - 1);
      text += b_.divisors_ < 0 ? fmt::format("const index_t q{}_ = r_ / (index_t){};\n", d, word(d))
                               : fmt::format("const index_t q{}_ = mul_hi(r_, (uint){}) >> {};\n", d, word(divisor),
                                             word(divisor + 1));
      text += fmt::format("const stride_t c{0}_ = (stride_t)(r_ - q{0}_ * (index_t){1});\nr_ = q{0}_;\n", d, word(d));
    }
    return text + "const stride_t c0_ = (stride_t)r_;\n";
  }

  /// From the coordinates of element `i`: row_, the linear position at which its row starts, x_, its place in the row,
  /// and b0_, b1_ ..., where the row starts in each operand that needs coordinates.
  std::string row_start() const {
    std::string text = coordinates("i");
    text += fmt::format("stride_t x_ = c{}_;\nconst index_t row_ = i - (index_t)x_;\n", dims() - 1);
    text += fmt::format("const stride_t row_length_ = {};\n", word(dims() - 1));
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if (o.role == Role::source || o.walk < Walk::rows) continue;
      std::string base = o.word >= 0 ? word(o.word) : "0";
      for (int d = 0; d + 1 < dims(); ++d) base += fmt::format(" + c{}_ * {}", d, word(o.word + 1 + d));
      text += fmt::format("const stride_t b{}_ = {};\n", p, base);
    }
    return text;
  }
  std::string access_in_row(bool storing) const {
    std::string text;
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if ((o.role == Role::output) != storing || o.role == Role::source || (o.walk == Walk::uniform && !storing))
        continue;
      std::string place = place_of(o, "i");
      if (o.walk == Walk::rows) place = fmt::format("b{}_ + x_", p);
      if (o.walk == Walk::repeated) place = fmt::format("b{}_", p);
      if (o.walk == Walk::general) place = fmt::format("b{}_ + x_ * {}", p, word(o.word + dims()));
      const std::string lane = lane_array(p) + "[k]";
      text += storing ? store(o, p, place, lane)
                      : fmt::format("{} = {};\n", lane, o.role == Role::index ? place : load(o, p, place));
    }
    return text;
  }

  /// The place of an operand at the item's first element is b0_, b1_ ...; d0_, d1_ ... lead to the next row.
  std::string down_start() const {
    const std::string width = word(dims() - 1), height = word(dims() - 2);
    std::string text =
        fmt::format("const index_t tall_ = ((index_t){} + {}) / {};\n", height, b_.lanes_ - 1, b_.lanes_);
    const int divisor = b_.divisors_ + 2 * (dims() - 2);
    text += b_.divisors_ < 0
                ? fmt::format("index_t r_ = j_ / (index_t){};\n", width)
                : fmt::format("index_t r_ = mul_hi(j_, (uint){}) >> {};\n", word(divisor), word(divisor + 1));
    text += fmt::format("const stride_t c{}_ = (stride_t)(j_ - r_ * (index_t){});\n", dims() - 1, width);
    std::string first = dims() == 2 ? "r_" : "r_ % tall_";
    text += fmt::format("const stride_t c{}_ = (stride_t)({}) * {};\n", dims() - 2, first, b_.lanes_);
    if (dims() > 2) text += "r_ /= tall_;\n";
    for (int d = dims() - 3; d >= 0; --d) {
      text += d == 0 ? "const stride_t c0_ = (stride_t)r_;\n"
                     : fmt::format("const stride_t c{0}_ = (stride_t)(r_ % (index_t){1});\nr_ /= (index_t){1};\n", d,
                                   word(d));
    }
    std::string position = "(index_t)c0_";
    for (int d = 1; d < dims(); ++d) position = fmt::format("({} * (index_t){} + (index_t)c{}_)", position, word(d), d);
    text += fmt::format("const index_t i = {};\nconst int rows_ = min({}, {} - c{}_);\n", position, b_.lanes_, height,
                        dims() - 2);
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if (o.role == Role::source || (o.walk == Walk::uniform && o.role != Role::output)) continue;
      text += fmt::format("const stride_t b{0}_ = {1}, d{0}_ = {2};\n", p, place_of(o, "(stride_t)i"),
                          o.walk < Walk::rows ? width : word(o.word + dims() - 1));
    }
    return text;
  }
  std::string access_down(bool storing) const {
    std::string text;
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if ((o.role == Role::output) != storing || o.role == Role::source || (o.walk == Walk::uniform && !storing))
        continue;
      const std::string lane = lane_array(p) + "[k]", place = fmt::format("b{0}_ + k * d{0}_", p);
      text += storing ? store(o, p, place, lane)
                      : fmt::format("{} = {};\n", lane, o.role == Role::index ? place : load(o, p, place));
    }
    return text;
  }

  std::string access_one(bool storing, const std::string& i, const std::string& k) const {
    std::string text;
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if ((o.role == Role::output) != storing || o.role == Role::source || (o.walk == Walk::uniform && !storing))
        continue;
      const std::string lane = fmt::format("{}[{}]", lane_array(p), k), place = place_of(o, i);
      text += storing ? store(o, p, place, lane)
                      : fmt::format("{} = {};\n", lane, o.role == Role::index ? place : load(o, p, place));
    }
    return needs_coordinates(storing) ? fmt::format("{{\n{}{}}}\n", coordinates(i), text) : text;
  }

  std::string access_run(bool storing) const {
    if (b_.lanes_ == 1) return "{ const int k = 0;\n" + access_one(storing, "i", "k") + "}\n";
    const bool per_element = needs_coordinates(storing) && !b_.whole_rows_;
    std::string text, loop;
    for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
      const Operand& o = b_.operands_[p];
      if ((o.role == Role::output) != storing || o.role == Role::source || (o.walk == Walk::uniform && !storing))
        continue;
      const std::string lanes = lane_array(p), first = place_of(o, "i");
      if (o.is_aligned && (o.walk == Walk::linear || !per_element)) {
        text += wide_access(o, p, first, storing);
      } else if (o.walk >= Walk::rows && per_element) {
        continue;  // below, with coordinates of their own
      } else if (o.walk == Walk::repeated && !storing) {
        const std::string once = o.role == Role::index ? first : load(o, p, first);
        text += fmt::format("{{ const {} once_ = {};\nRTCG_UNROLL({}) for (int k = 0; k < {}; ++k) {}[k] = once_; }}\n",
                            compute_name(o.type), once, b_.lanes_, b_.lanes_, lanes);
      } else {
        const std::string step =
            o.walk == Walk::linear ? "k" : fmt::format("k * {}", word(o.word + 1 + std::max(0, dims() - 1)));
        const std::string place = fmt::format("{} + {}", first, step), lane = lanes + "[k]";
        loop += storing ? store(o, p, place, lane)
                        : fmt::format("{} = {};\n", lane, o.role == Role::index ? place : load(o, p, place));
      }
    }
    if (!loop.empty())
      text += fmt::format("RTCG_UNROLL({}) for (int k = 0; k < {}; ++k) {{\n{}}}\n", b_.lanes_, b_.lanes_, loop);
    if (per_element) {
      std::string scattered;
      for (std::size_t p = 0; p < b_.operands_.size(); ++p) {
        const Operand& o = b_.operands_[p];
        if ((o.role == Role::output) != storing || o.role == Role::source || o.walk < Walk::rows) continue;
        const std::string lane = lane_array(p) + "[k]", place = place_of(o, "");
        scattered += storing ? store(o, p, place, lane)
                             : fmt::format("{} = {};\n", lane, o.role == Role::index ? place : load(o, p, place));
      }
      text += fmt::format("RTCG_UNROLL({}) for (int k = 0; k < {}; ++k) {{\n{}{}}}\n", b_.lanes_, b_.lanes_,
                          coordinates("i + k"), scattered);
    } else if (needs_coordinates(storing)) {
      text = fmt::format("{{\n{}{}}}\n", coordinates("i"), text);
    }
    return text;
  }

  /// V elements in accesses of up to 16 bytes.
  std::string wide_access(const Operand& o, std::size_t p, const std::string& place, bool storing) const {
    const std::size_t size = size_of(o.type), bytes = b_.lanes_ * size, chunk = std::min<std::size_t>(16, bytes);
    const std::string lanes = lane_array(p);
    const bool is_complex_type = is_complex(o.type);
    const std::size_t part = is_complex_type ? size / 2 : std::max<std::size_t>(size, 1);
    std::string text = fmt::format("{{ const stride_t at_ = {};\n", place);
    for (std::size_t c = 0; c < bytes / chunk; ++c) {
      const std::size_t elements = chunk / size, first = c * elements;
      if (part >= 4)
        text += whole_words(o, p, lanes, first, elements, chunk, storing);
      else
        text += packed_words(o, p, lanes, first, elements, chunk, storing);
    }
    return text + "}\n";
  }

  static const char* component(std::size_t c) {
    static constexpr const char* names[] = {"x", "y", "z", "w"};
    return names[c];
  }

  std::string whole_words(const Operand& o, std::size_t p, const std::string& lanes, std::size_t first,
                          std::size_t elements, std::size_t chunk, bool storing) const {
    const bool complex = is_complex(o.type);
    const char* base = complex ? (o.type == Dtype::c128 ? "double" : "float") : storage_name(o.type);
    const std::size_t part = complex ? size_of(o.type) / 2 : size_of(o.type), count = chunk / part;
    if (count == 1)
      return storing ? fmt::format("p{}_[at_ + {}] = {}[{}];\n", p, first, lanes, first)
                     : fmt::format("{}[{}] = p{}_[at_ + {}];\n", lanes, first, p, first);
    const std::string vector = fmt::format("{}{}", base, count);
    std::string text;
    if (storing) {
      std::string parts;
      for (std::size_t e = 0; e < elements; ++e)
        parts += complex ? fmt::format("{}{}[{}].x, {}[{}].y", e > 0 ? ", " : "", lanes, first + e, lanes, first + e)
                         : fmt::format("{}{}[{}]", e > 0 ? ", " : "", lanes, first + e);
      return fmt::format("*(global {}*)(p{}_ + at_ + {}) = make_{}({});\n", vector, p, first, vector, parts);
    }
    text = fmt::format("{{ const {} t_ = *(global const {}*)(p{}_ + at_ + {});\n", vector, vector, p, first);
    for (std::size_t e = 0; e < elements; ++e)
      text += complex
                  ? fmt::format("{}[{}] = {}_new(t_.{}, t_.{});\n", lanes, first + e,
                                o.type == Dtype::c128 ? "cdouble" : "cfloat", component(2 * e), component(2 * e + 1))
                  : fmt::format("{}[{}] = t_.{};\n", lanes, first + e, component(e));
    return text + "}\n";
  }

  /// 8- and 16-bit elements travel in 32-bit words.
  std::string packed_words(const Operand& o, std::size_t p, const std::string& lanes, std::size_t first,
                           std::size_t elements, std::size_t chunk, bool storing) const {
    const std::size_t size = size_of(o.type);
    if (chunk < 4) {
      std::string text;
      for (std::size_t e = 0; e < elements; ++e) {
        const std::string place = fmt::format("at_ + {}", first + e), lane = fmt::format("{}[{}]", lanes, first + e);
        text += storing ? store(o, p, place, lane) : fmt::format("{} = {};\n", lane, load(o, p, place));
      }
      return text;
    }
    const std::size_t words = chunk / 4, per_word = 4 / size;
    const std::string vector = words == 1 ? "uint" : fmt::format("uint{}", words);
    const auto bits = [&](const std::string& lane) {
      return o.type == Dtype::f16 ? fmt::format("(uint)rtcg_half_bits({})", lane)
                                  : fmt::format("(uint)({}){}", size == 1 ? "uchar" : "ushort", lane);
    };
    std::string text;
    if (storing) {
      std::string parts;
      for (std::size_t w = 0; w < words; ++w) {
        parts += w > 0 ? ", " : "";
        for (std::size_t e = 0; e < per_word; ++e)
          parts += fmt::format("{}{} << {}", e > 0 ? " | " : "",
                               bits(fmt::format("{}[{}]", lanes, first + w * per_word + e)), 8 * size * e);
      }
      const std::string value = words == 1 ? parts : fmt::format("make_{}({})", vector, parts);
      return fmt::format("*(global {}*)(p{}_ + at_ + {}) = {};\n", vector, p, first, value);
    }
    text = fmt::format("{{ const {} t_ = *(global const {}*)(p{}_ + at_ + {});\n", vector, vector, p, first);
    for (std::size_t e = 0; e < elements; ++e) {
      const std::string from = words == 1 ? "t_" : fmt::format("t_.{}", component(e / per_word));
      const std::string raw =
          fmt::format("({})({} >> {})", size == 1 ? "uchar" : "ushort", from, 8 * size * (e % per_word));
      text += fmt::format("{}[{}] = {};\n", lanes, first + e,
                          o.type == Dtype::f16 ? fmt::format("rtcg_half_value({})", raw)
                                               : fmt::format("({}){}", compute_name(o.type), raw));
    }
    return text + "}\n";
  }

  std::string value(std::uint16_t slot) const {
    const LoopBody::Linear& linear = b_.nodes_[slot];
    switch (linear.node->op) {
      case Op::array:
      case Op::index: {
        const Operand& o = b_.operands_[static_cast<std::size_t>(linear.place)];
        const bool varies = o.walk != Walk::uniform;
        return fmt::format("in{}_{}", linear.place, varies ? "[k]" : "");
      }
      case Op::scalar:
        return fmt::format("{}s{}_", b_.packs_scalars() ? "s_." : "", linear.place);
      default:
        return fmt::format("v{}_", slot);
    }
  }

  std::string compute() const {
    std::string text;
    for (std::size_t slot = 0; slot < b_.nodes_.size(); ++slot) {
      const LoopBody::Linear& linear = b_.nodes_[slot];
      const Node& node = *linear.node;
      if (node.op == Op::array || node.op == Op::index || node.op == Op::scalar) continue;
      text += fmt::format("const {} v{}_ = {};\n", compute_name(node.dtype), slot, operation(linear));
    }
    return text;
  }

  std::string operation(const LoopBody::Linear& linear) const {
    const Node& node = *linear.node;
    std::vector<std::string> arguments;
    if (node.op == Op::call) {
      const FunctionText& function = *static_cast<const CallNode&>(node).function;
      std::string list;
      for (std::size_t k = 0; k < linear.operands[1]; ++k)
        list += fmt::format("{}{}", k > 0 ? ", " : "", value(b_.call_slots_[linear.operands[0] + k]));
      return fmt::format("{}({})", function.name, list);
    }
    if (node.op == Op::take) {
      const std::size_t p = static_cast<std::size_t>(linear.place);
      const Operand& o = b_.operands_[p];
      const std::string i = value(linear.operands[1]), n = word(o.word + 1);
      // Negative indices count from the end; what lies outside is clamped, so that nothing outside is read. In the
      // index's own width: one of 2^32 + 1 is not 1.
      const Dtype type = node.operands[1]->dtype;
      const bool is_long = b_.wide_ || size_of(type) == 8;
      const std::string inside =
          kind_of(type) == DtypeKind::signed_integer
              ? fmt::format("(stride_t)clamp(({0})({1} < 0 ? ({0}){1} + {2} : ({0}){1}), ({0})0, ({0})({2} - 1))",
                            is_long ? "long" : "int", i, n)
              : fmt::format("(stride_t)min(({0}){1}, ({0})({2} - 1))", is_long ? "ulong" : "uint", i, n);
      return load(o, p, fmt::format("{} + {}", word(o.word), inside));
    }
    for (std::size_t k = 0; k < 3 && node.operands[k]; ++k) arguments.push_back(value(linear.operands[k]));
    if (node.op == Op::cast) return cast_text(node.operands[0]->dtype, node.dtype, arguments[0]);
    return operation_text(node.op, node.operand_type, arguments);
  }

  const LoopBody& b_;
};

BodyText LoopBody::text() const {
  return LoopText(*this).write();
}

}  // namespace rtcg
