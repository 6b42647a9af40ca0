#include "rtcg/tune/wisdom.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "rtcg/error.h"

namespace rtcg {

namespace {

struct Problem {
  const Driver* driver = nullptr;
  std::string family;
  int version = 0;
  std::map<std::string, std::string> traits;
  std::map<std::string, double> sizes;
};

/// A problem without copies of its texts.
struct ProblemView {
  const Driver* driver;
  const std::string& family;
  int version;
  const std::map<std::string, std::string>& traits;
  const std::map<std::string, double>& sizes;

  ProblemView(const Problem& p)
      : driver(p.driver), family(p.family), version(p.version), traits(p.traits), sizes(p.sizes) {}
  ProblemView(const Device& device, const Tunable& t)
      : driver(&device.driver()), family(t.family), version(t.version), traits(t.traits), sizes(t.sizes) {}
};

void mix(std::size_t& hash, std::size_t part) {
  hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}

struct ProblemHash {
  using is_transparent = void;
  std::size_t operator()(const ProblemView& p) const {
    std::size_t hash = std::hash<const void*>{}(p.driver);
    mix(hash, std::hash<std::string>{}(p.family));
    // The names are those of the family: the values tell problems apart.
    for (const auto& [name, value] : p.traits) mix(hash, std::hash<std::string>{}(value));
    for (const auto& [name, value] : p.sizes) mix(hash, std::hash<double>{}(value));
    return hash;
  }
};

struct ProblemEqual {
  using is_transparent = void;
  bool operator()(const ProblemView& a, const ProblemView& b) const {
    return a.driver == b.driver && a.version == b.version && a.family == b.family && a.sizes == b.sizes &&
           a.traits == b.traits;
  }
};

/// A program whose every problem has sizes of its own must not fill the memory with them.
constexpr std::size_t most_answers = 10000;

struct Answer {
  Device device;  ///< kept, so that no other driver gets its address
  Selection selection;
};

/// Asking the driver takes longer than all the rest of a look-up. A device that has been asked stays.
WisdomDevice described(const Device& device) {
  static std::mutex mutex;
  static auto* const known = new std::map<const Driver*, std::pair<Device, WisdomDevice>>;
  const std::scoped_lock lock(mutex);
  auto found = known->find(&device.driver());
  if (found == known->end())
    found = known->emplace(&device.driver(), std::pair(device, WisdomDevice::of(device))).first;
  return found->second.second;
}

}  // namespace

struct Wisdom::Memory {
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<const Files>> files;
  std::unordered_map<Problem, Answer, ProblemHash, ProblemEqual> answers;
  std::atomic<std::size_t> changes = 0;  ///< an answer found before a change is not kept
};

Wisdom::Wisdom(std::vector<WisdomTier> tiers) : tiers_(std::move(tiers)), memory_(std::make_unique<Memory>()) {}
Wisdom::~Wisdom() = default;

Wisdom& Wisdom::standard() {
  // Never destroyed: other threads may ask while the process ends.
  static auto* const instance = new Wisdom(wisdom_tiers());
  return *instance;
}

std::shared_ptr<const Wisdom::Files> Wisdom::files(const std::string& family) {
  std::unique_lock lock(memory_->mutex);
  std::shared_ptr<const Files>& known = memory_->files[family];
  if (known) return known;
  auto read = std::make_shared<Files>();
  for (const WisdomTier& tier : tiers_)
    read->push_back({tier.name, read_wisdom(tier.directory / wisdom_file_name(family))});
  known = read;
  lock.unlock();  // a warning's handler may do anything
  for (const TierFile& file : *read) warn_about(file.file);
  return read;
}

Selection Wisdom::select(const Device& device, const Tunable& tunable) {
  const ProblemView problem(device, tunable);
  std::size_t changes = 0;
  {
    const std::shared_lock lock(memory_->mutex);
    if (const auto found = memory_->answers.find(problem); found != memory_->answers.end())
      return found->second.selection;
    changes = memory_->changes;
  }
  Selection selection = look_up(question_of(device, tunable), *files(tunable.family));
  const std::unique_lock lock(memory_->mutex);
  if (memory_->answers.size() >= most_answers) memory_->answers.clear();
  if (changes == memory_->changes)
    memory_->answers.try_emplace(
        Problem{&device.driver(), tunable.family, tunable.version, tunable.traits, tunable.sizes},
        Answer{device, selection});
  return selection;
}

bool Wisdom::can_record() const {
  return std::any_of(tiers_.begin(), tiers_.end(), [](const WisdomTier& tier) { return tier.is_writable; });
}

std::filesystem::path Wisdom::file_of(const std::string& family) const {
  for (const WisdomTier& tier : tiers_)
    if (tier.is_writable) return tier.directory / wisdom_file_name(family);
  return {};
}

void Wisdom::record(const WisdomRecord& record) {
  const std::filesystem::path file = file_of(record.family);
  if (file.empty())
    throw UsageError("wisdom has no place to be written: RTCG_WISDOM=0 turns it off, RTCG_WISDOM_DIR names a place");
  append_wisdom(file, record);
  forget_answers();
}

std::size_t Wisdom::changes() const {
  return memory_->changes.load(std::memory_order_relaxed);
}

void Wisdom::forget_answers() {
  const std::unique_lock lock(memory_->mutex);
  memory_->files.clear();
  memory_->answers.clear();
  ++memory_->changes;
}

WisdomQuestion question_of(const Device& device, const Tunable& tunable) {
  return {.family = tunable.family,
          .version = tunable.version,
          .device = described(device),
          .traits = tunable.traits,
          .sizes = tunable.sizes,
          .standard = tunable.space.standard(),
          .objection = [&device, &tunable](const Configuration& configuration) {
            std::string objection = tunable.space.objection(configuration);
            if (objection.empty() && tunable.demand)
              objection = tunable.demand(configuration).objection(device.properties());
            return objection;
          }};
}

Selection select(const Device& device, const Tunable& tunable) {
  return Wisdom::standard().select(device, tunable);
}

}  // namespace rtcg
