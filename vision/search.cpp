#include "vision/search.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "vision/features.h"
#include "vision/search_journal.h"

namespace rtcg::vision {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// FNV-1a over numbers.
class Digest {
 public:
  template <class T>
  Digest& add(std::span<const T> values) {
    for (const std::byte byte : std::as_bytes(values))
      hash_ = (hash_ ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211u;
    return *this;
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 14695981039346656037u;
};

std::uint64_t seed_of(std::uint64_t search, std::size_t trial) {
  std::uint64_t z = search * 0x9e3779b97f4a7c15u + trial + 1;  // splitmix64's finish: near seeds, far numbers
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) >> 1;  // positive for readers of JSON that have only signed numbers
}

/// Everything that decides what a trial of a given number is and what comes out of it.
std::string identity_of(const ModelSpace& space, const Array& images, const Labels& labels,
                        const SearchOptions& options) {
  const std::vector<float> pixels = images.to_vector<float>();
  const std::string description = space.text();
  const CrossValidationOptions& validation = options.validation;
  return fmt::format("space {} images {} {} labels {} seed {} {} folds {} in {} strengths {} seed {}",
                     Digest().add(std::span(std::as_const(description))).text(), to_string(images.shape()),
                     Digest().add(std::span(std::as_const(pixels))).text(),
                     Digest().add(std::span(labels.classes)).text(), options.seed, name_of(validation.kind),
                     validation.inner_folds, validation.folds, fmt::join(validation.strengths, " "), validation.seed);
}

class Search {
 public:
  Search(const Stream& stream, const ModelSpace& space, const Array& images, const Labels& labels,
         const std::filesystem::path& directory, const SearchOptions& options)
      : stream_(stream),
        space_(space),
        images_(images),
        labels_(labels),
        directory_(directory),
        options_(options),
        journal_(directory / "trials.jsonl", identity_of(space, images, labels, options)) {}

  SearchReport run();

 private:
  ModelDescription draw(std::size_t trial) const;
  void prepare_after(std::size_t trial);
  void begin(std::size_t trial);
  void finish_oldest();
  void take(TrialResult result, bool is_known);
  void write_best();

  const Stream& stream_;
  const ModelSpace& space_;
  const Array& images_;
  const Labels& labels_;
  std::filesystem::path directory_;
  SearchOptions options_;
  SearchJournal journal_;
  std::deque<std::future<void>> preparing_;           ///< kernels of the next trials' models
  std::size_t prepared_ = 0;                          ///< trials whose models were handed to preparing_
  std::deque<std::future<TrialResult>> classifying_;  ///< in the order of the trials
  SearchReport report_;
};

ModelDescription Search::draw(std::size_t trial) const {
  return space_.sample(seed_of(options_.seed, trial), static_cast<std::size_t>(images_.extent(1)),
                       static_cast<std::size_t>(images_.extent(2)));
}

/// Compiles what the next models need while the device is busy with this one.
void Search::prepare_after(std::size_t trial) {
  constexpr std::size_t ahead = 4;
  prepared_ = std::max(prepared_, trial + 1);
  for (; prepared_ < std::min(options_.trials, trial + 1 + ahead); ++prepared_) {
    if (journal_.find(prepared_)) continue;
    preparing_.push_back(std::async(std::launch::async, [this, next = prepared_] {
      try {
        const Model model(Stream(stream_.device()), draw(next));
        const auto height = static_cast<std::size_t>(images_.extent(1)),
                   width = static_cast<std::size_t>(images_.extent(2));
        const std::size_t batch = options_.batch != 0 ? options_.batch : model.batch(height, width);
        model.prepare(std::min(batch, labels_.classes.size()), height, width);
      } catch (const Error&) {  // begin() meets it again and says so
      }
    }));
  }
  while (preparing_.size() > ahead) preparing_.pop_front();
}

/// Features of one model on the device, then its classification on a thread of its own.
void Search::begin(std::size_t trial) {
  TrialResult result;
  result.trial = trial, result.seed = seed_of(options_.seed, trial);
  const ModelDescription description = draw(trial);
  prepare_after(trial);
  result.model = to_toml(description);
  std::vector<float> features;
  try {
    const auto start = Clock::now();
    const Model model(stream_, description);
    features = extract_features(model, images_, options_.batch).to_vector<float>();
    result.feature_seconds = seconds_since(start);
    result.features = features.size() / labels_.classes.size();
  } catch (const InputError&) {
    throw;  // a file of filters: every trial would say so
  } catch (const Error& error) {
    result.failure = error.what();
  }
  classifying_.push_back(
      std::async(std::launch::async, [this, result = std::move(result), features = std::move(features)]() mutable {
        if (!result.works()) return std::move(result);
        const auto start = Clock::now();
        try {
          result.validation =
              cross_validate({features, labels_.classes.size(), result.features}, labels_.classes, options_.validation);
        } catch (const NumericalError& error) {
          result.failure = error.what();
        }
        result.classifier_seconds = seconds_since(start);
        return std::move(result);
      }));
}

void Search::finish_oldest() {
  TrialResult result = classifying_.front().get();
  classifying_.pop_front();
  journal_.add(result);
  take(std::move(result), false);
}

void Search::take(TrialResult result, bool is_known) {
  report_.trials.push_back(std::move(result));
  const TrialResult& latest = report_.trials.back();
  if (is_known)
    ++report_.resumed;
  else
    report_.feature_seconds += latest.feature_seconds;
  if (latest.works()) {
    const auto place = std::find_if(report_.ranking.begin(), report_.ranking.end(), [&](std::size_t k) {
      return report_.trials[k].validation.accuracy < latest.validation.accuracy;
    });
    const bool is_kept = place - report_.ranking.begin() < static_cast<std::ptrdiff_t>(options_.keep);
    report_.ranking.insert(place, report_.trials.size() - 1);
    if (is_kept && !is_known) write_best();
  } else {
    ++report_.failed;
  }
  if (options_.progress) options_.progress(report_.trials.size(), latest);
}

void Search::write_best() {
  for (std::size_t k = 0; k < std::min(options_.keep, report_.ranking.size()); ++k) {
    const TrialResult& result = report_.trials[report_.ranking[k]];
    write_file(directory_ / fmt::format("best-{}.toml", k + 1),
               fmt::format("# accuracy {:.4f} +- {:.4f} (nested cross-validation, {} folds, {}), chance {:.4f}\n"
                           "# trial {} of seed {}\n{}",
                           result.validation.accuracy, result.validation.spread, options_.validation.folds,
                           name_of(options_.validation.kind), result.validation.chance, result.trial, options_.seed,
                           result.model));
  }
}

SearchReport Search::run() {
  const auto start = Clock::now();
  const std::size_t threads =
      options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t trial = 0; trial < options_.trials; ++trial) {
    if (const TrialResult* known = journal_.find(trial)) {
      while (!classifying_.empty()) finish_oldest();  // in the order of their numbers
      take(*known, true);
      continue;
    }
    begin(trial);
    while (
        classifying_.size() > threads ||
        (!classifying_.empty() && classifying_.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready))
      finish_oldest();
  }
  while (!classifying_.empty()) finish_oldest();
  write_best();
  report_.seconds = seconds_since(start);
  const auto run = static_cast<double>(report_.trials.size() - report_.resumed);
  if (run > 0) report_.images_per_second = run * static_cast<double>(labels_.classes.size()) / report_.seconds;
  return std::move(report_);
}

}  // namespace

SearchReport search_models(const Stream& stream, const ModelSpace& space, const Array& images, const Labels& labels,
                           const std::filesystem::path& directory, const SearchOptions& options) {
  if (images.dimensions() != 4 || images.size() == 0 ||
      static_cast<std::size_t>(images.extent(0)) != labels.classes.size())
    throw UsageError(fmt::format("search: images are [image, y, x, channel] with a label each; given {} and {} labels",
                                 to_string(images.shape()), labels.classes.size()));
  check_folds(labels.classes, options.validation);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(fmt::format("{}: cannot be made: {}", directory.string(), error.message()));
  return Search(stream, space, images, labels, directory, options).run();
}

}  // namespace rtcg::vision
