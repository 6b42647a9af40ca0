// The filterbank on the four shapes of the paper: default and tuned by the paper's protocol, batches, and rounded
// factors where a kernel offers them. FLOPs are two for each multiply-add of each valid response.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/host_filterbank.h"
#include "apps/rtcg-bench/vision/topics.h"
#include "rtcg/tune/session.h"
#include "vision/filterbank_tuning.h"
#include "vision/prepared_filterbank.h"

namespace rtcg::bench {

namespace {

using vision::FilterbankShape;
using vision::Precision;

struct PaperShape {
  const char *images, *bank;
  double h200_target;  ///< TFLOP/s
};
constexpr PaperShape paper_shapes[] = {{"256x256x8", "64x9x9x8", 42},
                                       {"512x512x4", "32x13x13x4", 46},
                                       {"1024x1024x8", "16x5x5x8", 38},
                                       {"2048x2048x4", "4x8x8x4", 42}};

/// A problem with random data on the device, and whether responses are right.
class Problem {
 public:
  Problem(const Context& context, const FilterbankShape& extents)
      : shape(extents),
        stream_(context.stream),
        images(random_floats(stream_, shape.images * shape.height * shape.width * shape.channels, 1)),
        bank(random_floats(stream_, shape.filters * taps(), 2).read<float>()),
        bias_(Buffer::from(stream_, std::vector<float>(1))),
        responses(Buffer::of<float>(stream_, shape.outputs())) {}

  std::function<void()> run(const Configuration& choice, Precision allow) const {
    return [this, prepared = vision::PreparedFilterbank(stream_, {shape, {}, allow}, choice, bank)] {
      prepared(stream_, images, 0, bias_, responses);
    };
  }

  /// The largest error of some responses, in units of sum |image| |weight|.
  double largest_error() const {
    std::mt19937_64 random(3);
    const std::size_t rows = shape.output_height(), columns = shape.output_width();
    const std::size_t width = shape.filter_width * shape.channels;
    std::vector<float> pixels(width), found(shape.filters);
    double worst = 0;
    for (int k = 0; k < 64; ++k) {
      const std::size_t b = random() % shape.images, y = k == 0 ? rows - 1 : random() % rows;
      const std::size_t x = k == 0 ? columns - 1 : random() % columns;
      std::vector<double> sums(shape.filters), magnitudes(shape.filters);
      for (std::size_t j = 0; j < shape.filter_height; ++j) {
        images.read(pixels.data(), width * sizeof(float),
                    ((b * shape.height + y + j) * shape.width + x) * shape.channels * sizeof(float));
        for (std::size_t n = 0; n < shape.filters; ++n)
          for (std::size_t i = 0; i < width; ++i) {
            const double product = double{pixels[i]} * double{bank[n * taps() + j * width + i]};
            sums[n] += product, magnitudes[n] += std::abs(product);
          }
      }
      responses.read(found.data(), shape.filters * sizeof(float),
                     ((b * rows + y) * columns + x) * shape.filters * sizeof(float));
      for (std::size_t n = 0; n < shape.filters; ++n) {
        const double error = std::abs(found[n] - sums[n]) / magnitudes[n];
        worst = error <= worst ? worst : error;  // a NaN is kept
      }
    }
    return worst;
  }
  /// Roundings of products and sums in fp32; cutting both factors to 10 bits of fraction adds 2^-9.
  void check(Precision allow) const {
    const double roundings = static_cast<double>(taps()) * 0x1p-24;
    require(largest_error() <= roundings / (1 - roundings) + (allow == Precision::exact ? 0 : 0x1p-9),
            "responses are farther off than roundings explain");
  }

  std::size_t taps() const { return shape.filter_height * shape.filter_width * shape.channels; }

  const FilterbankShape shape;

 private:
  Stream stream_;

 public:
  const Buffer images;
  const std::vector<float> bank;

 private:
  Buffer bias_;

 public:
  const Buffer responses;
};

/// The paper's protocol: two warm-ups, ten timed runs; a configuration is chosen by the median of the first five and
/// reported by that of the last five.
struct TenRuns {
  std::vector<double> first, last;  ///< s
};

TenRuns ten_runs(const Stream& stream, const std::function<void()>& work) {
  TenRuns runs;
  for (int k = -2; k < 10; ++k) {
    const Event start = stream.record();
    work();
    const Event end = stream.record();
    const double seconds = seconds_between(start, end);
    if (k >= 0) (k < 5 ? runs.first : runs.last).push_back(seconds);
  }
  return runs;
}

struct Tuned {
  Configuration standard, winner;
  Measurement standard_time, winner_time;  ///< of the last five runs
  TuneReport report;
};

Tuned tune_by_protocol(const Context& context, const Problem& problem, Precision allow) {
  TuneOptions options;
  options.seconds = context.quick ? 5 : context.on_gpu() ? (allow == Precision::exact ? 20 : 6) : 25;
  options.variants = context.quick ? 3 : 0;
  options.wisdom = nullptr;  // the boost is that of this run alone
  Tuned tuned;
  tuned.report =
      tune(context.stream, vision::filterbank::describe(context.stream.device(), problem.shape, allow), options);
  tuned.standard = tuned.report.standard.configuration;
  // The session's own rule times most of them too little for a record, so its best are run again.
  std::vector<const VariantResult*> finalists;
  for (const VariantResult& variant : tuned.report.variants)
    if (variant.works() && !(variant.configuration == tuned.standard)) finalists.push_back(&variant);
  std::sort(finalists.begin(), finalists.end(), [](auto* a, auto* b) { return a->timing.seconds < b->timing.seconds; });
  if (finalists.size() > 10) finalists.resize(10);
  TenRuns best = ten_runs(context.stream, problem.run(tuned.standard, allow));
  tuned.winner = tuned.standard;
  tuned.standard_time = summarise(best.last);
  for (const VariantResult* finalist : finalists) {
    TenRuns runs = ten_runs(context.stream, problem.run(finalist->configuration, allow));
    if (summarise(runs.first).median < summarise(best.first).median)
      best = std::move(runs), tuned.winner = finalist->configuration;
  }
  tuned.winner_time = summarise(best.last);
  if (!context.quick && Wisdom::standard().can_record()) Wisdom::standard().record(tuned.report.record);
  return tuned;
}

/// Without the parameters of the kernels that were not chosen.
std::string words_of(const Configuration& choice) {
  const std::string& kernel = choice.word("kernel");
  std::string text = kernel;
  for (const auto& [name, value] : choice.values())
    if (name.starts_with(kernel + ".")) text += fmt::format(" {}={}", name.substr(kernel.size() + 1), to_text(value));
  return text;
}

class Lines {
 public:
  Lines(Suite& suite, const Context& context) : suite_(suite), context_(context) {}

  void shape(const PaperShape& paper) {
    const FilterbankShape extents = sizes(paper, 1);
    const std::string name = name_of(paper, 1);
    const Problem problem(context_, extents);
    const Tuned tuned = tune_by_protocol(context_, problem, Precision::exact);
    add_standard(name, extents, tuned);
    compare(name + ", tuned", problem, tuned, Precision::exact, paper.h200_target);
    for (const std::size_t count : {16, 64}) batch(paper, count, tuned);
    rounded(paper, problem);
  }

 private:
  double amount(const FilterbankShape& extents) const { return extents.flops() / (context_.on_gpu() ? 1e12 : 1e9); }
  const char* unit() const { return context_.on_gpu() ? "TFLOP/s" : "GFLOP/s"; }
  FilterbankShape sizes(const PaperShape& paper, std::size_t count) const {
    FilterbankShape extents = vision::parse_shape(paper.images, paper.bank);
    extents.images = count;
    if (context_.quick) extents.height = extents.width = 64;
    return extents;
  }
  std::string name_of(const PaperShape& paper, std::size_t count) const {
    const FilterbankShape extents = sizes(paper, count);
    return fmt::format("filterbank {}{}x{}x{} by {}", count == 1 ? "" : fmt::format("{} x ", count), extents.height,
                       extents.width, extents.channels, paper.bank);
  }
  void finish(Result& result, const FilterbankShape& extents) const {
    const double rate = extents.flops() / result.measurement.median;
    result.ratios["multiply-add"] = rate / context_.fma_rate;
    result.figures["gflop"] = extents.flops() / 1e9;
  }

  void add_standard(const std::string& name, const FilterbankShape& extents, const Tuned& tuned) {
    Result result{
        name + ", default",      amount(extents) / tuned.standard_time.median, unit(), tuned.standard_time, {}, {},
        words_of(tuned.standard)};
    finish(result, extents);
    suite_.add(std::move(result));
  }

  void compare(const std::string& name, const Problem& problem, const Tuned& tuned, Precision allow, double target) {
    Comparison line(suite_, context_, name, {amount(problem.shape), unit(), 0, target});
    std::vector<float> images, planes, arranged, responses;
    if (!context_.on_gpu()) {
      const FilterbankShape& extents = problem.shape;
      images = problem.images.read<float>();
      planes.resize(images.size()), arranged.resize(problem.bank.size()), responses.resize(extents.outputs());
      const std::size_t pixels = extents.height * extents.width;
      for (std::size_t k = 0; k < images.size(); ++k)
        planes[(k / extents.channels / pixels * extents.channels + k % extents.channels) * pixels +
               k / extents.channels % pixels] = images[k];
      for (std::size_t n = 0; n < extents.filters; ++n)
        for (std::size_t k = 0; k < problem.taps(); ++k)
          arranged[k * extents.filters + n] = problem.bank[n * problem.taps() + k];
      line.host_peer("C++ with OpenMP", [&] {
        // Whichever loop of the two has enough turns to be made vectors of.
        if (extents.filters < 16)
          openmp_planar_filterbank(extents, planes.data(), problem.bank.data(), responses.data());
        else
          openmp_filterbank(extents, images.data(), arranged.data(), responses.data());
      });
      if (auto opencv = opencv_filterbank(problem.shape, images, problem.bank))
        line.host_peer("OpenCV filter2D summed", std::move(opencv));
    }
    const auto work = problem.run(tuned.winner, allow);
    Result& result = line.ours(
        work, [&] { problem.check(allow); }, words_of(tuned.winner));
    finish(result, problem.shape);
    result.ratios["default"] = tuned.standard_time.median / tuned.winner_time.median;
    result.figures["boost_percent"] = 100 * (tuned.standard_time.median / tuned.winner_time.median - 1);
    result.figures["last_five_" + std::string(context_.on_gpu() ? "tflops" : "gflops")] =
        amount(problem.shape) / tuned.winner_time.median;
    result.figures["variants"] = static_cast<double>(tuned.report.variants.size());
    result.figures["failed"] = static_cast<double>(tuned.report.failed);
    result.figures["tuning_seconds"] = tuned.report.seconds;
    if (allow != Precision::exact) result.figures["largest_error"] = problem.largest_error();
  }

  /// With what was found for one image. On a CPU one image fills the cores, so one batch will do.
  void batch(const PaperShape& paper, std::size_t count, const Tuned& tuned) {
    if (!context_.on_gpu() && (count > 16 || &paper != paper_shapes)) return;
    const Problem problem(context_, sizes(paper, context_.quick ? 2 : count));
    Comparison line(suite_, context_, name_of(paper, problem.shape.images) + ", tuned for one",
                    {amount(problem.shape), unit()});
    Result& result = line.ours(problem.run(tuned.winner, Precision::exact), [&] { problem.check(Precision::exact); });
    finish(result, problem.shape);
  }

  /// Only where rounding brings kernels that exact arithmetic does not have.
  void rounded(const PaperShape& paper, const Problem& problem) {
    const Device& device = context_.stream.device();
    const auto kernels = [&](Precision allow) {
      return vision::filterbank::space(device, {problem.shape, {}, allow}).parameters().front().values;
    };
    if (kernels(Precision::tf32) == kernels(Precision::exact)) return;
    const Tuned tuned = tune_by_protocol(context_, problem, Precision::tf32);
    compare(name_of(paper, 1) + ", tuned, allow tf32", problem, tuned, Precision::tf32, 0);
  }

  Suite& suite_;
  const Context& context_;
};

}  // namespace

void filterbank_topic(Suite& suite, const Context& context) {
  Lines lines(suite, context);
  for (const PaperShape& paper : paper_shapes) lines.shape(paper);
}

}  // namespace rtcg::bench
