#include "rtcg/array/fft_stage.h"

#include <algorithm>
#include <bitset>
#include <numeric>

#include "rtcg/array/fft_plan.h"
#include "rtcg/compile/template.h"
#include "rtcg_core_kernels.h"

namespace rtcg::detail {

namespace {

constexpr std::size_t most_local_bytes = 48 << 10;  ///< what every CUDA device grants without being asked

bool is_cpu(const DeviceProperties& device) {
  return device.kind != DeviceKind::gpu;
}
std::size_t real_bytes(bool double_precision) {
  return double_precision ? sizeof(double) : sizeof(float);
}
std::size_t local_bytes(const DeviceProperties& device) {
  return std::min(device.local_memory, most_local_bytes);
}
/// What one group may have when it asks for it at launch, by the table of compute capabilities in the CUDA C++
/// Programming Guide; elsewhere no more than it has anyway.
std::size_t local_bytes_on_request(const DeviceProperties& device) {
  constexpr std::pair<const char*, std::size_t> granted[] = {
      {"sm_80", 163 << 10}, {"sm_86", 99 << 10},   {"sm_87", 163 << 10},  {"sm_89", 99 << 10},
      {"sm_90", 227 << 10}, {"sm_100", 227 << 10}, {"sm_103", 227 << 10}, {"sm_120", 99 << 10}};
  if (device.backend == Backend::cuda)
    for (const auto& [architecture, bytes] : granted)
      if (device.architecture == architecture) return bytes;
  return local_bytes(device);
}
/// Lines side by side that fill 128 bytes: a whole line of a GPU's cache.
int coalesced_lines(bool double_precision) {
  return double_precision ? 8 : 16;
}

/// Items a group may have with 16 values each: as many as 65536 registers allow.
int most_items(const DeviceProperties& device, bool double_precision) {
  return static_cast<int>(std::min(device.max_work_group, double_precision ? 512u : 1024u));
}

int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

int values_with(const std::vector<int>& radices, int length, int threads) {
  int values = 1;
  for (const int radix : radices) values = std::max(values, divide_up(length / radix, threads) * radix);
  return values;
}

/// Work-items a line: as few as 16 values each allow (more only where there may not be enough items), without many idle
/// in any pass, and enough to fill the sectors of memory that a line's elements share.
int threads_of(const std::vector<int>& radices, int length, int most_threads) {
  for (int most_values = 16;; most_values += 4) {
    const int least = std::max({1, divide_up(length, most_values), std::min(8, length / 4)});
    int best = 0;
    double best_waste = 1e30;
    for (int threads = least; threads <= std::min(std::max(least, length / 2), most_threads); ++threads) {
      if (values_with(radices, length, threads) > most_values) continue;
      double waste = 0.02 * threads / least;
      for (const int radix : radices)
        waste += static_cast<double>(divide_up(length / radix, threads) * threads * radix) / length - 1;
      if (waste < best_waste) best = threads, best_waste = waste;
    }
    if (best > 0) return best;
  }
}

/// Lines a group where they lie one after the other: 128 to 256 work-items that fill their warps.
int lines_of(int threads) {
  const int least = std::max(1, 128 / threads);
  int best = least;
  double best_share = 0;
  for (int lines = least; lines <= std::max(least, 256 / threads) && best_share < 0.9; ++lines) {
    const int items = lines * threads;
    const double share = static_cast<double>(items) / (divide_up(items, 32) * 32);
    if (share > best_share) best = lines, best_share = share;
  }
  return best;
}

/// Passes through the banks for `lanes` work-items' accesses at the addresses that `address` gives: the most that one
/// bank serves.
template <class Address>
int bank_passes(int lanes, int banks, Address address) {
  std::vector<int> load(static_cast<std::size_t>(banks));
  int most = 0;
  for (int lane = 0; lane < lanes; ++lane)
    most = std::max(most, ++load[static_cast<std::size_t>(address(lane) % banks)]);
  return most;
}

/// Bank conflicts of all exchanges for one padding; lanes of one line, which is what a group's first lanes are.
int conflicts_of(const FftStage& stage, const std::vector<int>& radices, int banks, int shift) {
  const auto slot = [&](int position) { return position + (shift > 0 ? position >> shift : 0); };
  int total = 0, done = 1;
  for (std::size_t pass = 0; pass < radices.size(); ++pass) {
    const int radix = radices[pass], butterflies = stage.length / radix, lanes = std::min(banks, butterflies);
    if (pass > 0) total += radix * bank_passes(lanes, banks, slot);
    if (pass + 1 < radices.size())
      total += radix * bank_passes(lanes, banks, [&](int b) { return slot(b / done * radix * done + b % done); });
    done *= radix;
  }
  return total;
}

std::string literal(double value, bool double_precision) {
  return double_precision ? Source::literal(value) : Source::literal(static_cast<float>(value));
}

/// The butterflies that the radices need, smaller ones first: {radix, first factor, roots of one}.
TemplateValue::List butterflies_of(const std::vector<int>& radices, bool double_precision) {
  std::bitset<largest_radix + 1> needed;
  const auto first_factor = [](int radix) {
    for (const int factor : {4, 2, 3, 5, 7})
      if (radix % factor == 0 && (factor != 4 || radix > 8 || radix == 4)) return factor;
    return 1;
  };
  for (const int radix : radices) {
    const int factor = first_factor(radix);
    for (const int r : {radix, factor, radix / factor, first_factor(radix / factor)})
      needed.set(static_cast<std::size_t>(r));
  }
  TemplateValue::List list;
  for (int radix = 1; radix <= largest_radix; ++radix) {
    if (!needed.test(static_cast<std::size_t>(radix))) continue;
    TemplateValue::List roots;
    for (int k = 0; k < radix; ++k) {
      const std::complex<double> root = root_of_one(static_cast<std::size_t>(k), static_cast<std::size_t>(radix));
      roots.push_back(
          TemplateValue::List{literal(root.real(), double_precision), literal(root.imag(), double_precision)});
    }
    list.push_back(TemplateValue::List{radix, first_factor(radix), roots});
  }
  return list;
}

int pass_factors(const FftStage& stage, const FftTile& tile) {
  int factors = 0, done = 1;
  for (const int radix : tile.radices) {
    if (done > 1) factors += (radix - 1) * done;
    done *= radix;
  }
  return stage.length > 1 ? factors : 0;
}

const char* name_of(FftLoad load) {
  constexpr const char* names[] = {"complex", "real", "hermitian", "pairs", "spectrum"};
  return names[static_cast<int>(load)];
}
const char* name_of(FftStore store) {
  constexpr const char* names[] = {"complex", "real", "pairs", "unpack"};
  return names[static_cast<int>(store)];
}

FftTile cpu_tile(const DeviceProperties& device, const FftStage& stage) {
  // Two planar buffers of the tile share half of what there is.
  FftTile tile;
  const std::size_t lane_bytes = 4 * real_bytes(stage.double_precision) * static_cast<std::size_t>(stage.length);
  tile.lines = std::clamp(static_cast<int>(device.simd_width) / (stage.double_precision ? 2 : 1), 4, 16);
  while (tile.lines > 2 && static_cast<std::size_t>(tile.lines) * lane_bytes > device.local_memory / 2) tile.lines /= 2;
  tile.radices = radices_of(stage.length, 8);
  if (tile.radices.empty()) tile.radices = {1};
  return tile;
}

}  // namespace

std::size_t longest_stage(const DeviceProperties& device, bool double_precision, bool by_lines) {
  const std::size_t real = real_bytes(double_precision);
  if (is_cpu(device)) return std::max<std::size_t>(16, device.local_memory / 2 / (16 * real));
  // Lines side by side want sectors of 32 bytes whole, four or two lines; their halves cross one after the other.
  if (by_lines) return local_bytes(device) / (real * static_cast<std::size_t>(coalesced_lines(double_precision)) / 4);
  // One line may take what the device gives on request and 16 values in each of as many items as registers allow.
  const std::size_t complex_elements = local_bytes_on_request(device) / (2 * real), halves = local_bytes(device) / real;
  return std::min(std::max(complex_elements, halves) * 16 / 17,
                  std::size_t{16} * static_cast<std::size_t>(most_items(device, double_precision)));
}

FftTile tile_of(const DeviceProperties& device, const FftStage& stage) {
  if (is_cpu(device)) return cpu_tile(device, stage);
  FftTile tile;
  tile.radices = radices_of(stage.length, largest_radix);
  if (tile.radices.empty()) tile.radices = {1};
  tile.threads = stage.length <= 16 && tile.radices.size() == 1
                     ? 1
                     : threads_of(tile.radices, stage.length, most_items(device, stage.double_precision));
  tile.values = values_with(tile.radices, stage.length, tile.threads);
  const int coalesced = coalesced_lines(stage.double_precision);
  const int banks = coalesced;  // elements of the exchange that one pass through the banks serves
  // A line with few work-items would touch memory in pieces shorter than a sector.
  const bool thin = tile.threads * (stage.double_precision ? 2 : 1) < 4;
  tile.stage_in = thin && !stage.in_by_lines;
  tile.stage_out = (thin && !stage.out_by_lines) || stage.store == FftStore::unpack;
  tile.lines_inside = stage.in_by_lines && stage.out_by_lines;

  const std::size_t pair = 2 * real_bytes(stage.double_precision);
  const bool in_rows = !stage.in_by_lines && !stage.out_by_lines;
  const std::size_t limit = in_rows ? local_bytes_on_request(device) : local_bytes(device);
  const auto bytes_with = [&](int lines, bool split) {
    return static_cast<std::size_t>(lines) * static_cast<std::size_t>(stage.length + stage.length / 4 + 1) * pair /
           (split ? 2 : 1);
  };
  const auto fits = [&](int lines, bool split) {
    const std::size_t padded = static_cast<std::size_t>(lines) *
                               static_cast<std::size_t>(stage.length + (lines == 1 || tile.lines_inside ? 0 : 1)) *
                               pair / (split ? 2 : 1);
    return padded <= limit && lines * tile.threads <= most_items(device, stage.double_precision);
  };
  const bool may_split = !tile.stage_in && !tile.stage_out;
  if (!in_rows) {
    tile.lines = coalesced;
    while (tile.lines * tile.threads < 64) tile.lines *= 2;
    while (tile.lines > 1 && !fits(tile.lines, may_split)) tile.lines /= 2;
  } else {
    tile.lines = lines_of(tile.threads);
    while (tile.lines > 1 && bytes_with(tile.lines, false) > local_bytes(device)) tile.lines /= 2;
  }
  tile.split = !fits(tile.lines, false);

  if (!tile.lines_inside) {
    int best = conflicts_of(stage, tile.radices, banks, 0);
    for (int shift = 2; shift <= 6; ++shift) {
      const int conflicts = conflicts_of(stage, tile.radices, banks, shift);
      const std::size_t bytes = static_cast<std::size_t>(tile.lines) *
                                static_cast<std::size_t>(stage.length + (stage.length >> shift) + 1) * pair /
                                (tile.split ? 2 : 1);
      if (conflicts < best && bytes <= limit) best = conflicts, tile.shift = shift;
    }
    const int length = stage.length + (tile.shift > 0 ? (stage.length - 1) >> tile.shift : 0);
    // An odd stride spreads lines that are read side by side.
    tile.stride = tile.lines > 1 ? length | 1 : length;
    tile.exchanged = static_cast<std::size_t>(tile.lines * tile.stride);
  } else {
    tile.exchanged = static_cast<std::size_t>(tile.lines * stage.length);
  }
  if (tile.radices.size() == 1 && !tile.stage_in && !tile.stage_out) tile.exchanged = 0;
  if (tile.exchanged * pair / (tile.split ? 2 : 1) > local_bytes(device))
    tile.dynamic_bytes = tile.exchanged * pair / (tile.split ? 2 : 1);
  // Left alone, the compiler loads all factors early into a hundred registers, so that too few of the larger groups are
  // there to hide each other's latency; smaller ones are best left to it.
  const int group = tile.lines * tile.threads;
  if (!stage.double_precision && group >= 192) tile.resident = divide_up(65536, 96 * group);
  return tile;
}

Source source_of(const DeviceProperties& device, const FftStage& stage, const FftTile& tile) {
  const bool cpu = is_cpu(device);
  TemplateValue::List passes;
  int done = 1, factors = 0;
  for (std::size_t i = 0; i < tile.radices.size(); ++i) {
    const int radix = tile.radices[i];
    const bool is_first = i == 0 && !tile.stage_in, is_last = i + 1 == tile.radices.size() && !tile.stage_out;
    const bool by_lines = is_first ? stage.in_by_lines : is_last ? stage.out_by_lines : tile.lines_inside;
    passes.push_back(TemplateValue::List{i, radix, done, factors, divide_up(stage.length / radix, tile.threads),
                                         tile.lines > 1 && by_lines});
    if (done > 1) factors += (radix - 1) * done;
    done *= radix;
  }
  TemplateValue::List runs;  // of passes with one radix: {radix, passes}
  for (std::size_t i = 0, end = 0; i < tile.radices.size(); i = end) {
    while (end < tile.radices.size() && tile.radices[end] == tile.radices[i]) ++end;
    runs.push_back(TemplateValue::List{tile.radices[i], end - i});
  }
  const int load_table = stage.load_table.empty() ? -1 : factors;
  const int store_table = stage.store_table.empty() ? -1 : factors + static_cast<int>(stage.load_table.size());
  const int turn_table =
      stage.turn_order == 0 ? -1 : factors + static_cast<int>(stage.load_table.size() + stage.store_table.size());
  const std::string real = stage.double_precision ? "double" : "float", pair = real + "2";
  const bool real_in = stage.load == FftLoad::real || stage.load == FftLoad::pairs;
  const bool real_out = stage.store == FftStore::real || stage.store == FftStore::pairs;
  const TemplateValue::List parts = tile.split ? TemplateValue::List{".x", ".y"} : TemplateValue::List{""};
  return Source("fft.cl",
                render(kernels::fft_cl,
                       {{"cpu", cpu},
                        {"real", real},
                        {"sign", stage.sign},
                        {"length", stage.length},
                        {"whole", stage.whole},
                        {"count", stage.count},
                        {"passes", passes},
                        {"runs", runs},
                        {"parts", parts},
                        {"butterflies", butterflies_of(tile.radices, stage.double_precision)},
                        {"threads", tile.threads},
                        {"lines", tile.lines},
                        {"group", tile.threads * tile.lines},
                        {"values", tile.values},
                        {"resident", tile.resident},
                        {"split", tile.split},
                        {"stage_in", tile.stage_in},
                        {"stage_out", tile.stage_out},
                        {"lines_inside", tile.lines_inside},
                        {"stride", tile.stride},
                        {"pad", tile.shift},
                        {"exchanged", tile.exchanged},
                        {"dynamic", tile.dynamic_bytes > 0},
                        {"turn_table", turn_table},
                        {"last_done", stage.length / tile.radices.back()},
                        {"input_type", real_in ? real : std::string("pair_t")},
                        {"output_type", real_out ? real : std::string("pair_t")},
                        {"line_type", stage.wide ? "ulong" : "uint"},
                        {"load", name_of(stage.load)},
                        {"store", name_of(stage.store)},
                        {"load_count", stage.load_count},
                        {"store_count", stage.store_count},
                        {"load_table", load_table},
                        {"store_table", store_table},
                        {"scaled", stage.scaled},
                        {"in_unit", stage.in_unit},
                        {"out_unit", stage.out_unit},
                        {"in_by_lines", stage.in_by_lines},
                        {"out_by_lines", stage.out_by_lines},
                        {"inner", stage.has_inner},
                        {"in_divisor", stage.in.divisor},
                        {"in_major", stage.in.major},
                        {"in_minor", stage.in.minor},
                        {"in_step", stage.in.step},
                        {"out_divisor", stage.out.divisor},
                        {"out_major", stage.out.major},
                        {"out_minor", stage.out.minor},
                        {"out_step", stage.out.step}},
                       "fft.cl"),
                cpu ? Dialect::opencl : Dialect::portable);
}

std::vector<std::complex<double>> tables_of(const FftStage& stage, const FftTile& tile) {
  std::vector<std::complex<double>> tables;
  tables.reserve(static_cast<std::size_t>(pass_factors(stage, tile)) + stage.load_table.size() +
                 stage.store_table.size());
  int done = 1;
  for (const int radix : tile.radices) {
    for (int u = 1; done > 1 && u < radix; ++u)
      for (int k = 0; k < done; ++k) {
        const std::complex<double> root =
            root_of_one(static_cast<std::size_t>(u * k), static_cast<std::size_t>(done * radix));
        tables.push_back(stage.sign < 0 ? std::conj(root) : root);
      }
    done *= radix;
  }
  tables.insert(tables.end(), stage.load_table.begin(), stage.load_table.end());
  tables.insert(tables.end(), stage.store_table.begin(), stage.store_table.end());
  if (stage.turn_order > 0) {
    // n = k + u done of the last pass: the factors of k and of u, each beside each other along m.
    const int radix = tile.radices.back(), last_done = stage.length / radix;
    const auto add = [&](int n) {
      for (int m = 0; m < stage.out.step; ++m) {
        const std::complex<double> root = root_of_one(static_cast<std::size_t>(n) * static_cast<std::size_t>(m),
                                                      static_cast<std::size_t>(stage.turn_order));
        tables.push_back(stage.sign < 0 ? std::conj(root) : root);
      }
    };
    for (int k = 0; k < last_done; ++k) add(k);
    for (int u = 1; u < radix; ++u) add(u * last_done);
  }
  return tables;
}

}  // namespace rtcg::detail
