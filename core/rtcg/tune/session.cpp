#include "rtcg/tune/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg/tune/journal.h"
#include "rtcg/version.h"
#include "rtcg/warning.h"

namespace rtcg {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t exhaustive_limit = 200, finalists = 5, most_starts = 5;
// Proposed and compiled at once. Not the number of cores: a seed is to mean the same path on every machine.
constexpr std::size_t batch = 16;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Whether the space has more configurations than that.
bool is_larger_than(const ParameterSpace& space, std::size_t count) {
  if (space.product() <= static_cast<double>(count)) return false;
  std::size_t found = 0;
  space.enumerate([&](const Configuration&) { return ++found <= count; });
  return found > count;
}

/// Twice the standard error of the difference of two medians, at least half a percent.
bool beats(const Timing& challenger, const Timing& standard) {
  const auto error = [](const Timing& t) { return 1.2533 * t.noise / std::sqrt(static_cast<double>(t.samples)); };
  const double margin = std::max(0.005, 2 * std::hypot(error(challenger), error(standard)));
  return challenger.seconds < standard.seconds * (1 - margin);
}

class Session {
 public:
  Session(const Stream& stream, const Tunable& tunable, const TuneOptions& options)
      : stream_(stream), tunable_(tunable), options_(options), start_(Clock::now()) {
    if (!tunable.trial) throw UsageError(fmt::format("{}: the description has no trial", tunable.family));
    if (!(options.seconds > 0)) throw UsageError(fmt::format("a tuning of {:g} s", options.seconds));
    report_.strategy = options.strategy.value_or(
        is_larger_than(tunable.space, exhaustive_limit) ? Strategy::model : Strategy::exhaustive);
    if (!options.journal.empty()) journal_ = TuneJournal(options.journal, identity());
    quick_.cold = options.cold;
    quick_.error = 0.01, quick_.least_seconds = 0.005;
    quick_.most_seconds = std::clamp(options.seconds / 200, 0.02, 0.2);
  }

  TuneReport run() {
    trial_ = tunable_.trial(stream_);
    search_ = make_search(report_.strategy, tunable_.space, options_.seed, starts(),
                          options_.variants > 0 ? options_.variants : exhaustive_limit);
    look_at(tunable_.space.standard(), {});
    report_.is_complete = !explore();
    if (best_seconds_ == 0) throw NumericalError(nothing_works());
    finals();
    report_.seconds = elapsed();
    remember();
    return std::move(report_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool is_spent() const {
    return elapsed() > options_.seconds || (options_.variants > 0 && report_.variants.size() >= options_.variants);
  }

  std::string identity() const {
    std::string space;
    for (const ParameterSpace::Parameter& parameter : tunable_.space.parameters()) {
      space += parameter.name + ':';
      for (const ParameterValue& value : parameter.values) space += to_text(value) + ',';
    }
    WisdomRecord problem;
    problem.traits = tunable_.traits, problem.sizes = tunable_.sizes;
    const WisdomDevice device = WisdomDevice::of(stream_.device());
    return fmt::format("{} version {} of {}; {}, driver {}, {}; {} from seed {}{}; space {}", tunable_.family,
                       tunable_.version, problem.problem_text(), device.name, device.driver, device.compiler,
                       to_text(report_.strategy), options_.seed, options_.cold ? ", cold" : "", digest(space));
  }

  /// What won on the problems nearest to this one, on any device.
  std::vector<Configuration> starts() const {
    std::vector<Configuration> result;
    if (!options_.wisdom) return result;
    std::multimap<double, const Configuration*> by_distance;
    const auto files = options_.wisdom->files(tunable_.family);
    for (const TierFile& tier : *files)
      for (const WisdomEntry& entry : tier.file.entries)
        if (entry.record.version == tunable_.version)
          if (const double distance = size_distance(entry.record.sizes, tunable_.sizes); std::isfinite(distance))
            by_distance.emplace(distance, &entry.record.configuration);
    for (const auto& [distance, configuration] : by_distance)
      if (result.size() < most_starts && objection_to(*configuration).empty() &&
          std::find(result.begin(), result.end(), *configuration) == result.end())
        result.push_back(*configuration);
    return result;
  }

  std::string objection_to(const Configuration& configuration) const {
    std::string objection = tunable_.space.objection(configuration);
    if (objection.empty() && tunable_.demand)
      objection = tunable_.demand(configuration).objection(stream_.device().properties());
    return objection;
  }

  /// False when the search came to its end before the budget.
  bool explore() {
    while (!is_spent()) {
      const std::vector<Configuration> proposals = search_->propose(batch);
      if (proposals.empty()) return false;
      std::vector<Configuration> possible;
      for (const Configuration& configuration : proposals)
        if (const std::string objection = objection_to(configuration); objection.empty()) {
          possible.push_back(configuration);
        } else {
          ++report_.beyond;
          search_->tell(configuration, std::nullopt);
        }
      if (options_.variants > 0)
        possible.resize(std::min(possible.size(), options_.variants - report_.variants.size()));
      const std::vector<std::string> failures = compile_ahead(possible);
      for (std::size_t n = 0; n < possible.size() && !is_spent(); ++n) look_at(possible[n], failures[n]);
    }
    return true;
  }

  /// On all cores; what did not compile is told, the rest is then in the caches.
  std::vector<std::string> compile_ahead(const std::vector<Configuration>& configurations) const {
    std::vector<std::string> failures(configurations.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t n = next++; n < configurations.size(); n = next++) {
        if (!tunable_.sources || journal_.find(configurations[n])) continue;
        try {
          for (const Source& source : tunable_.sources(configurations[n])) compile(stream_.device(), source);
        } catch (const std::exception& error) {
          failures[n] = first_line(error.what());
        }
      }
    };
    std::vector<std::jthread> helpers;
    for (std::size_t n = 1; n < std::min<std::size_t>(configurations.size(), std::thread::hardware_concurrency()); ++n)
      helpers.emplace_back(work);
    work();
    helpers.clear();
    return failures;
  }

  void look_at(const Configuration& configuration, const std::string& compile_failure) {
    VariantResult result;
    if (const VariantResult* known = journal_.find(configuration)) {
      result = *known;
      ++report_.resumed;
    } else {
      if (const std::string objection = objection_to(configuration); !objection.empty())
        result = {configuration, {}, objection};  // of the default
      else if (!compile_failure.empty())
        result = {configuration, {}, compile_failure};
      else
        journal_.begin(configuration), result = attempt(configuration);
      journal_.add(result);
    }
    if (!result.works()) ++report_.failed;
    if (result.works() && (best_seconds_ == 0 || result.timing.seconds < best_seconds_))
      best_seconds_ = result.timing.seconds;
    search_->tell(configuration, result.works() ? std::optional(result.timing.seconds) : std::nullopt);
    report_.variants.push_back(std::move(result));
    if (options_.progress)
      options_.progress({report_.variants.size(), elapsed(), &report_.variants.back(), best_seconds_});
    if (is_device_lost_) {
      is_device_lost_ = false;
      throw DeviceError(
          fmt::format("{} does not answer after the variant {}{}", stream_.device().id(),
                      report_.variants.back().configuration.text(),
                      options_.journal.empty() ? "" : "; the journal knows it, so that the next run passes it by"));
    }
  }

  VariantResult attempt(const Configuration& configuration) {
    TimingRule rule = quick_;
    if (best_seconds_ > 0) rule.give_up = 3 * best_seconds_;
    VariantResult result = try_variant(*trial_, stream_, configuration, rule);
    if (result.works()) return result;
    try {
      stream_.synchronize();
    } catch (const DeviceError&) {
      is_device_lost_ = true;
    }
    return result;
  }

  std::string nothing_works() const {
    const VariantResult& first = report_.variants.front();
    return fmt::format("{}: none of {} variants works; the default ({}): {}", tunable_.family, report_.variants.size(),
                       first.configuration.text(), first.failure);
  }

  void finals() {
    std::vector<const VariantResult*> order;
    for (const VariantResult& result : report_.variants)
      if (result.works()) order.push_back(&result);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->timing.seconds < b->timing.seconds; });
    order.resize(std::min(order.size(), finalists));
    const VariantResult& standard = report_.variants.front();
    if (standard.works() && std::find(order.begin(), order.end(), &standard) == order.end()) order.push_back(&standard);

    std::vector<std::function<void()>> works;
    std::vector<VariantResult> results;
    for (const VariantResult* finalist : order) {
      works.push_back(trial_->prepare(finalist->configuration));
      results.push_back(*finalist);
    }
    TimingRule rule = quick_;
    rule.error = 0.004, rule.least_seconds = 0.02;
    rule.most_seconds = std::clamp(options_.seconds / 60, 0.1, 1.0);
    const std::vector<Timing> timings = measure_in_turn(stream_, works, rule);
    for (std::size_t n = 0; n < results.size(); ++n) results[n].timing = timings[n];
    report_.standard = standard;
    for (const VariantResult& result : results)
      if (result.configuration == standard.configuration) report_.standard = result;

    std::stable_sort(results.begin(), results.end(),
                     [](const auto& a, const auto& b) { return a.timing.seconds < b.timing.seconds; });
    for (const VariantResult& result : results) {
      if (report_.standard.works() && !beats(result.timing, report_.standard.timing)) {
        report_.winner = report_.standard;
        if (is_still_right(standard.configuration)) return;
        report_.standard = {standard.configuration, {}, "right once and wrong later: a race"};
      }
      if (result.configuration == standard.configuration) continue;
      report_.winner = result;
      if (is_still_right(result.configuration)) return;
    }
    throw NumericalError(fmt::format("{}: no finalist was right twice", tunable_.family));
  }

  /// After many executions, and for what only a journal says was right.
  bool is_still_right(const Configuration& configuration) {
    try {
      validated(*trial_, stream_, configuration);
      return true;
    } catch (const NumericalError& error) {
      warn(fmt::format("{}: {}: right once, and later {}", tunable_.family, configuration.text(), error.what()));
      return false;
    }
  }

  void remember() {
    WisdomRecord& record = report_.record;
    record.family = tunable_.family, record.version = tunable_.version;
    record.device = WisdomDevice::of(stream_.device());
    record.system = wisdom_system();
    record.traits = tunable_.traits, record.sizes = tunable_.sizes;
    record.configuration = report_.winner.configuration;
    record.seconds = report_.winner.timing.seconds, record.noise = report_.winner.timing.noise;
    record.samples = static_cast<std::int64_t>(report_.winner.timing.samples);
    record.default_seconds = report_.standard.timing.seconds;
    record.work = tunable_.work, record.unit = tunable_.unit;
    record.verified = true;
    record.date = wisdom_date(), record.suite = version;
    record.strategy = to_text(report_.strategy), record.seed = options_.seed;
    record.tried = static_cast<std::int64_t>(report_.variants.size());
    record.failed = static_cast<std::int64_t>(report_.failed);
    record.search_seconds = report_.seconds;
    if (!options_.wisdom || !options_.wisdom->can_record()) return;
    try {
      options_.wisdom->record(record);
      report_.file = options_.wisdom->file_of(record.family);
    } catch (const InputError& error) {
      warn(fmt::format("the result is not remembered: {}", error.what()));
    }
  }

  const Stream stream_;
  const Tunable& tunable_;
  const TuneOptions& options_;
  Clock::time_point start_;
  TimingRule quick_;
  TuneJournal journal_;
  std::unique_ptr<Trial> trial_;
  std::unique_ptr<Search> search_;
  TuneReport report_;
  double best_seconds_ = 0;
  bool is_device_lost_ = false;
};

}  // namespace

VariantResult try_variant(Trial& trial, const Stream& stream, const Configuration& configuration,
                          const TimingRule& rule) {
  VariantResult result{configuration, {}, {}};
  try {
    result.timing = measure(stream, validated(trial, stream, configuration), rule);
  } catch (const std::exception& error) {
    result.failure = first_line(error.what());
    if (result.failure.empty()) result.failure = "failed without a word";
  }
  return result;
}

TuneReport tune(const Stream& stream, const Tunable& tunable, const TuneOptions& options) {
  return Session(stream, tunable, options).run();
}

}  // namespace rtcg
