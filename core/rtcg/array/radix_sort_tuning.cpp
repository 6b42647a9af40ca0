#include "rtcg/array/radix_sort_tuning.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg/tune/choice.h"
#include "rtcg/tune/trial.h"

namespace rtcg {

namespace {

constexpr const char* family = "radix_sort";

/// What decides which tile is best.
struct Problem {
  SortMethod method = SortMethod::chunks;
  std::size_t key_bytes = 4, value_bytes = 0;
  double length = 0;
};

const char* name_of(SortMethod method) {
  return method == SortMethod::chunks ? "chunks" : method == SortMethod::tiles ? "tiles" : "onesweep";
}

SortTuning read(const Configuration& configuration) {
  SortTuning tuning;
  const auto take = [&](const char* name, unsigned& value) {
    if (configuration.find(name) != nullptr) value = static_cast<unsigned>(configuration.integer(name));
  };
  take("group", tuning.group), take("items", tuning.items), take("resident", tuning.resident);
  take("chunks_per_unit", tuning.chunks_per_unit);
  return tuning;
}

SortShape shape_of(const Problem& problem) {
  SortShape shape;
  shape.type = problem.key_bytes == 8 ? ScalarType::u64 : ScalarType::u32;
  shape.method = problem.method;
  shape.bits = static_cast<unsigned>(8 * problem.key_bytes);
  shape.value_bytes = problem.value_bytes;
  if (problem.method != SortMethod::chunks) shape.choose_tile(static_cast<std::size_t>(problem.length));
  return shape;
}

/// Bytes of local memory that the text of a pass declares, a little rounded up.
std::size_t local_bytes(const Problem& problem, const SortTuning& tuning) {
  const std::size_t tile = std::size_t{tuning.group} * tuning.items;
  if (problem.method == SortMethod::onesweep)
    return tile * std::max(problem.key_bytes, std::size_t{problem.value_bytes > 0 ? 4u : 0u}) +
           tuning.group / 32 * 1024 + 1200;
  return tile * (problem.key_bytes + 2) + 68 * tuning.group + 2200;
}

ParameterSpace space_of(const Problem& problem) {
  ParameterSpace space;
  if (problem.method == SortMethod::chunks)
    return space.parameter("chunks_per_unit", integers({1, 2, 4, 8, 16}), std::int64_t{4});
  const SortShape standard = shape_of(problem);
  const bool sweeps = problem.method == SortMethod::onesweep;
  // Of tiles odd numbers of items keep the items' runs in different banks; onesweep's are a warp apart.
  space.parameter("group", sweeps ? integers({256, 384, 512}) : integers({64, 128, 256}), std::int64_t{standard.group});
  space.parameter("items",
                  sweeps ? integers({6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42})
                         : integers({3, 5, 7, 9, 11, 13, 15, 17, 19}),
                  std::int64_t{standard.items});
  if (sweeps) {
    space.parameter("resident", integers({1, 2, 3, 4, 5}), std::int64_t{standard.resident});
    space.constraint("a multiprocessor holds 2048 items", {"group", "resident"},
                     [](const Configuration& c) { return c.integer("group") * c.integer("resident") <= 2048; });
  }
  // What CUDA gives a kernel that declares its local memory.
  return space.constraint("a tile fits in 48 KiB of local memory", {"group", "items"},
                          [problem](const Configuration& c) { return local_bytes(problem, read(c)) <= 48 << 10; });
}

/// Keys of all bits, so that no pass is left out.
class SortTrial : public Trial {
 public:
  SortTrial(const Stream& stream, const Problem& problem) : stream_(stream), problem_(problem) {
    const auto n = static_cast<std::size_t>(problem.length);
    std::mt19937_64 random(7);
    keys_.resize(n);
    for (std::uint64_t& key : keys_) key = problem.key_bytes == 8 ? random() : random() >> 32;
    sort_.type = shape_of(problem).type;
    sort_.length = n;
    sort_.method = problem.method;
    sort_.keys = upload(keys_, problem.key_bytes);
    sorted_keys_.emplace(stream, "sorted keys", n * problem.key_bytes);
    sort_.sorted_keys = sorted_keys_->buffer();
    if (problem.value_bytes == 0) return;
    std::vector<std::uint64_t> places(n);
    for (std::size_t k = 0; k < n; ++k) places[k] = k;
    sort_.values = upload(places, problem.value_bytes);
    sort_.value_bytes = problem.value_bytes;
    sorted_values_.emplace(stream, "sorted values", n * problem.value_bytes);
    sort_.sorted_values = sorted_values_->buffer();
  }

  std::function<void()> prepare(const Configuration& configuration) override {
    return [this, configuration] {
      const ForcedConfiguration forced(family, configuration);
      radix_sort(stream_, sort_);
    };
  }

  std::vector<const GuardedOutput*> outputs() const override {
    std::vector<const GuardedOutput*> all{&*sorted_keys_};
    if (sorted_values_) all.push_back(&*sorted_values_);
    return all;
  }
  void check() override {
    const std::vector<std::uint64_t> found = download(sort_.sorted_keys, problem_.key_bytes);
    if (expected_.empty()) {
      expected_ = keys_;
      std::sort(expected_.begin(), expected_.end());
    }
    for (std::size_t k = 0; k < found.size(); ++k)
      if (found[k] != expected_[k])
        throw NumericalError(fmt::format("sorted key {} is {}, not {}", k, found[k], expected_[k]));
    if (!sorted_values_) return;
    const std::vector<std::uint64_t> from = download(sort_.sorted_values, problem_.value_bytes);
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k] >= keys_.size() || keys_[from[k]] != found[k] ||
          (k > 0 && found[k - 1] == found[k] && from[k - 1] >= from[k]))
        throw NumericalError(
            fmt::format("the value beside sorted key {} is {}: not of that key, or not in its order", k, from[k]));
  }

 private:
  Buffer upload(const std::vector<std::uint64_t>& values, std::size_t bytes) const {
    if (bytes == 8) return Buffer::from(stream_, values);
    return Buffer::from(stream_, std::vector<std::uint32_t>(values.begin(), values.end()));
  }
  static std::vector<std::uint64_t> download(const Buffer& buffer, std::size_t bytes) {
    if (bytes == 8) return buffer.read<std::uint64_t>();
    const auto narrow = buffer.read<std::uint32_t>();
    return {narrow.begin(), narrow.end()};
  }

  Stream stream_;
  Problem problem_;
  SortProblem sort_;
  std::vector<std::uint64_t> keys_, expected_;
  std::optional<GuardedOutput> sorted_keys_, sorted_values_;
};

Tunable describe(const Problem& problem) {
  Tunable tunable;
  tunable.family = family;
  tunable.traits = {{"method", name_of(problem.method)},
                    {"key_bytes", std::to_string(problem.key_bytes)},
                    {"value_bytes", std::to_string(problem.value_bytes)}};
  tunable.sizes = {{"length", problem.length}};
  tunable.space = space_of(problem);
  tunable.demand = [problem](const Configuration& configuration) {
    const SortTuning tuning = read(configuration);
    return problem.method == SortMethod::chunks ? Demand{} : Demand{tuning.group, local_bytes(problem, tuning)};
  };
  tunable.sources = [problem](const Configuration& configuration) {
    SortShape shape = shape_of(problem);
    shape.use(read(configuration));
    return std::vector<Source>{sort_source(shape)};
  };
  tunable.trial = [problem](const Stream& stream) { return std::make_unique<SortTrial>(stream, problem); };
  tunable.work = problem.length;
  tunable.unit = "key";
  return tunable;
}

}  // namespace

std::optional<SortTuning> tuned_sort(const Device& device, const SortShape& shape, std::size_t length) {
  static auto* const choices = new Choices<SortTuning>(family);
  // Keys up to four bytes share the tiles of uint32, wider values those of eight bytes.
  const std::size_t key_bytes = size_of(shape.type) == 8 ? 8 : 4, value_bytes = shape.value_bytes == 0   ? 0
                                                                                : shape.value_bytes <= 4 ? 4
                                                                                                         : 8;
  const unsigned size = size_class(static_cast<double>(length));
  const std::uint64_t key = size | static_cast<std::uint64_t>(shape.method) << 6 | key_bytes << 8 | value_bytes << 12;
  return choices->find(
      device, key,
      [&] {
        return describe({shape.method, key_bytes, value_bytes, size_of_class(size)});
      },
      read);
}

TunableFamily radix_sort_family() {
  TunableFamily result;
  result.name = family;
  result.meaning = "the tile of a radix sort: items of a group, keys of an item";
  result.traits = {{"method", "how tiles find their places", {"automatic", "chunks", "tiles", "onesweep"}},
                   {"key_bytes", "bytes of a key", {"4", "8"}},
                   {"value_bytes", "bytes of a value that moves with its key", {"0", "4", "8"}}};
  result.sizes = {{"length", "keys of a row", 1 << 24}};
  result.describe = [](const Device& device, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    const std::string& method = traits.at("method");
    const SortMethod wanted = method == "chunks"     ? SortMethod::chunks
                              : method == "tiles"    ? SortMethod::tiles
                              : method == "onesweep" ? SortMethod::onesweep
                                                     : SortMethod::automatic;
    return describe({sort_method(device, wanted), std::stoul(traits.at("key_bytes")),
                     std::stoul(traits.at("value_bytes")), size_of_class(size_class(sizes.at("length")))});
  };
  return result;
}

}  // namespace rtcg
