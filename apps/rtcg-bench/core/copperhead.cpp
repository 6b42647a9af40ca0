// Copperhead's programs: speed and length against the same written by hand in CUDA.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "apps/rtcg-bench/copperhead/programs.h"
#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/lines_of_code.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/poisson.h"
#include "rtcg-bench_kernels.h"
#include "rtcg/array/expression.h"

namespace rtcg::bench {

namespace {

constexpr const char* by_hand = "CUDA by hand";

struct Lengths {
  std::size_t ours = 0, by_hand = 0;
};

/// Adds the lengths to the last line, and to the total unless the program has been counted.
void add_lengths(Suite& suite, Lengths& total, std::string_view ours, std::string_view cuda, bool is_first = true) {
  const std::size_t lines = lines_of_code(ours), lines_by_hand = lines_of_code(cuda);
  suite.results.back().figures["lines"] = static_cast<double>(lines);
  suite.results.back().figures["lines by hand"] = static_cast<double>(lines_by_hand);
  if (!is_first) return;
  total.ours += lines;
  total.by_hand += lines_by_hand;
}

/// Largest difference relative to the largest value of the reference.
double deviation(const Array& value, const Array& reference) {
  const std::vector<float> a = value.to_vector<float>(), b = reference.to_vector<float>();
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Not std::max alone: a NaN must not be passed over.
    if (!(std::abs(a[i] - b[i]) <= difference)) difference = std::abs(a[i] - b[i]);
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  }
  return difference / largest;
}

/// Elements in [low, high].
Array uniform(const Stream& stream, std::size_t n, unsigned seed, float low, float high) {
  return 0.5f * (high - low) * (as_array(random_floats(stream, n, seed)) + 1.0f) + low;
}

/// Share of elements that differ.
double difference(const Array& a, const Array& b) {
  const std::vector<int> u = a.to_vector<int>(), v = b.to_vector<int>();
  std::size_t count = 0;
  for (std::size_t i = 0; i < u.size(); ++i) count += u[i] != v[i];
  return static_cast<double>(count) / static_cast<double>(u.size());
}

/// Largest part of right - A x for the system of flow_cg, on the host.
double residual(const Array& a, const Array& b, const Array& c, float w, const Array& x, const Array& right) {
  const std::vector<float> ha = a.to_vector<float>(), hb = b.to_vector<float>(), hc = c.to_vector<float>(),
                           hx = x.to_vector<float>(), hr = right.to_vector<float>();
  const std::int64_t height = a.extent(0), width = a.extent(1), pixels = height * width;
  double largest = 0;
  for (std::int64_t row = 0; row < height; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      const std::int64_t i = row * width + column;
      const auto at = [&](std::int64_t plane, std::int64_t y, std::int64_t z) -> double {
        if (y < 0 || z < 0 || y >= height || z >= width) return 0;
        return hx[static_cast<std::size_t>(plane * pixels + y * width + z)];
      };
      const auto around = [&](std::int64_t plane) {
        return at(plane, row - 1, column) + at(plane, row + 1, column) + at(plane, row, column - 1) +
               at(plane, row, column + 1);
      };
      const double u = at(0, row, column), v = at(1, row, column);
      const auto k = static_cast<std::size_t>(i), l = static_cast<std::size_t>(pixels + i);
      const double of_u = hr[k] - (ha[k] * u + hb[k] * v - w * around(0));
      const double of_v = hr[l] - (hb[k] * u + hc[k] * v - w * around(1));
      if (!(std::max(std::abs(of_u), std::abs(of_v)) <= largest)) largest = std::max(std::abs(of_u), std::abs(of_v));
    }
  return largest;
}

struct CsrProblem {
  std::vector<int> starts{0}, columns;
};

CsrProblem random_rows(int rows, int entries_a_row) {
  CsrProblem problem;
  std::mt19937 random(1);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < entries_a_row; ++k)
      problem.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(rows)));
    std::sort(problem.columns.end() - entries_a_row, problem.columns.end());
    problem.starts.push_back(static_cast<int>(problem.columns.size()));
  }
  return problem;
}

class Programs {
 public:
  Programs(Suite& suite, const Context& context)
      : suite_(suite), context_(context), stream_(context.stream), cuda_(cuda_peers(context.stream.device())) {}

  void axpy() {
    const std::size_t n = context_.size(26, 22);
    const double bytes = 12 * static_cast<double>(n);
    const Array x = uniform(stream_, n, 1, -1, 1), y = uniform(stream_, n, 2, -1, 1), by_peer = like(x);
    Comparison line = comparison("axpy, " + power_of_two(n) + " float", {bytes / 1e9, "GB/s", bytes});
    if (cuda_)
      line.peer(by_hand, [&] { call_peer(cuda_->axpy, stream_, 2.5f, x.buffer(), y.buffer(), by_peer.buffer(), n); });
    Array z;
    line.ours([&] { z = bench::axpy(2.5f, x, y); }, [&] { agree(z, by_peer, 1e-6, "axpy"); });
    add_lengths(suite_, lengths_, kernels::axpy_cpp, kernels::copperhead_axpy_cu);
  }

  void black_scholes() {
    const std::size_t n = context_.size(25, 20);
    const double size = static_cast<double>(n);
    const float rate = 0.02f, volatility = 0.3f;
    const Array stock = uniform(stream_, n, 1, 5, 30), strike = uniform(stream_, n, 2, 1, 100),
                years = uniform(stream_, n, 3, 0.25f, 10), call = like(stock), put = like(stock);
    Comparison line =
        comparison("black_scholes, " + power_of_two(n) + " options", {size / 1e9, "Goption/s", 20 * size});
    if (cuda_)
      line.peer(by_hand, [&] {
        call_peer(cuda_->black_scholes, stream_, stock.buffer(), strike.buffer(), years.buffer(), rate, volatility,
                  call.buffer(), put.buffer(), n);
      });
    std::vector<Array> prices;
    line.ours([&] { prices = bench::black_scholes(stock, strike, years, rate, volatility); },
              [&] {
                agree(prices[0], call, 1e-5, "black_scholes, call");
                agree(prices[1], put, 1e-5, "black_scholes, put");
              });
    add_lengths(suite_, lengths_, kernels::black_scholes_cpp, kernels::copperhead_black_scholes_cu);
  }

  void laplace(std::int64_t side, int steps, bool is_first) {
    const auto points = static_cast<double>((side - 2) * (side - 2)) * steps;
    const Array start = uniform(stream_, static_cast<std::size_t>(side * side), 1, 0, 1).reshape({side, side});
    const Array u = start.copy(), scratch = start.copy(), peer_u = start.copy(), peer_scratch = start.copy();
    Comparison line =
        comparison(fmt::format("laplace, {0} x {0}, {1} steps", side, steps), {points / 1e9, "Gpoint/s", 8 * points});
    if (cuda_)
      line.peer(by_hand, [&] {
        call_peer(cuda_->laplace, stream_, peer_u.buffer(), peer_scratch.buffer(), static_cast<int>(side), steps);
      });
    line.ours([&] { bench::laplace(u, scratch, steps); },
              [&] {
                if (!cuda_) return;
                const Array again = start.copy(), again_scratch = start.copy();
                call_peer(cuda_->laplace, stream_, again.buffer(), again_scratch.buffer(), static_cast<int>(side),
                          steps);
                require(deviation(u, again) < 1e-5, "laplace");
              });
    add_lengths(suite_, lengths_, kernels::laplace_cpp, kernels::copperhead_laplace_cu, is_first);
  }

  void mandelbrot(int side, int limit) {
    const Array by_peer = Array::empty(stream_, {side, side}, Dtype::i32);
    Comparison line = comparison(fmt::format("mandelbrot, {0} x {0}, {1} steps", side, limit),
                                 {static_cast<double>(side) * side / 1e9, "Gpoint/s"});
    if (cuda_) line.peer(by_hand, [&] { call_peer(cuda_->mandelbrot, stream_, by_peer.buffer(), side, limit); });
    Array steps;
    line.ours([&] { steps = bench::mandelbrot(stream_, side, limit); },
              [&] {
                if (!cuda_) return;
                // The order of roundings moves a few points at the edge.
                require(difference(steps, by_peer) < 1e-3, "mandelbrot");
              });
    add_lengths(suite_, lengths_, kernels::mandelbrot_cpp, kernels::copperhead_mandelbrot_cu);
  }

  /// CSR rows of 64 random columns each for a warp a row, Poisson's seven points for a thread a row.
  void spmv_csr(const CsrProblem& problem, bool is_vector) {
    const auto rows = static_cast<int>(problem.starts.size() - 1);
    const auto entries = static_cast<double>(problem.columns.size());
    const Array starts = Array::from(stream_, problem.starts), columns = Array::from(stream_, problem.columns),
                values = uniform(stream_, problem.columns.size(), 1, -1, 1),
                x = uniform(stream_, static_cast<std::size_t>(rows), 2, -1, 1), by_peer = like(x);
    Comparison line =
        comparison(fmt::format("SpMV by primitives, {} CSR, {} rows", is_vector ? "vector" : "scalar", rows),
                   {2 * entries / 1e9, "GFLOP/s", 8 * entries + 12 * rows});
    const auto peer = [&](auto function) {
      line.peer(by_hand, [&, function] {
        call_peer(function, stream_, starts.buffer(), columns.buffer(), values.buffer(), x.buffer(), by_peer.buffer(),
                  rows);
      });
    };
    if (cuda_) peer(is_vector ? cuda_->spmv_vector : cuda_->spmv_scalar);
    Array y;
    line.ours([&] { y = bench::spmv_csr(starts, columns, values, x); }, [&] { agree(y, by_peer, 1e-5, "SpMV, CSR"); });
    add_lengths(suite_, lengths_, kernels::spmv_csr_cpp,
                is_vector ? kernels::copperhead_spmv_vector_cu : kernels::copperhead_spmv_scalar_cu);
  }

  void spmv_ell(const CsrProblem& problem) {
    const std::size_t rows = problem.starts.size() - 1, width = 7;
    std::vector<int> host_columns(width * rows, 0);
    std::vector<float> host_values(width * rows, 0.0f);
    for (std::size_t row = 0; row < rows; ++row)
      for (int k = problem.starts[row]; k < problem.starts[row + 1]; ++k) {
        const std::size_t at = static_cast<std::size_t>(k - problem.starts[row]) * rows + row;
        host_columns[at] = problem.columns[static_cast<std::size_t>(k)];
        host_values[at] = 1.0f / static_cast<float>(1 + k % 17);
      }
    const Shape shape{static_cast<std::int64_t>(width), static_cast<std::int64_t>(rows)};
    const Array columns = Array::from(stream_, host_columns, shape), values = Array::from(stream_, host_values, shape),
                x = uniform(stream_, rows, 2, -1, 1), by_peer = like(x);
    const auto entries = static_cast<double>(problem.columns.size()), slots = static_cast<double>(width * rows);
    Comparison line = comparison(fmt::format("SpMV by primitives, ELL, {} rows", rows),
                                 {2 * entries / 1e9, "GFLOP/s", 8 * slots + 8 * static_cast<double>(rows)});
    if (cuda_)
      line.peer(by_hand, [&] {
        call_peer(cuda_->spmv_ell, stream_, columns.buffer(), values.buffer(), x.buffer(), by_peer.buffer(),
                  static_cast<int>(rows), static_cast<int>(width));
      });
    Array y;
    line.ours([&] { y = bench::spmv_ell(columns, values, x); }, [&] { agree(y, by_peer, 1e-5, "SpMV, ELL"); });
    add_lengths(suite_, lengths_, kernels::spmv_ell_cpp, kernels::copperhead_spmv_ell_cu);
  }

  void radix_sort(std::size_t n) {
    const Array keys = as_array(random_uints(stream_, n)), by_peer = like(keys), scratch = like(keys),
                ones = like(keys);
    Comparison line = comparison("radix sort by primitives, " + power_of_two(n) + " uint32",
                                 {static_cast<double>(n) / 1e9, "Gkey/s", 32 * 20 * static_cast<double>(n)});
    if (cuda_)
      line.peer(by_hand, [&] {
        by_peer.assign(keys);
        call_peer(cuda_->radix_sort, stream_, by_peer.buffer(), scratch.buffer(), ones.buffer(), n);
      });
    Array sorted;
    line.ours([&] { sorted = bench::radix_sort(keys); },
              [&] {
                std::vector<std::uint32_t> expected = keys.to_vector<std::uint32_t>();
                std::sort(expected.begin(), expected.end());
                require(sorted.to_vector<std::uint32_t>() == expected, "radix sort by primitives");
                if (cuda_)
                  require(by_peer.to_vector<std::uint32_t>() == expected, "radix sort by primitives, CUDA by hand");
              },
              "32 passes of one bit: scan and permute");
    add_lengths(suite_, lengths_, kernels::radix_sort_cpp, kernels::copperhead_radix_sort_cu);
  }

  void flow_cg(std::int64_t height, std::int64_t width, int iterations) {
    const float w = 0.5f;
    const auto pixels = static_cast<std::size_t>(height * width);
    const auto plane = [&](unsigned seed, float low, float high) {
      return uniform(stream_, pixels, seed, low, high).reshape({height, width});
    };
    // Barely dominant, as where a picture has little texture: it takes some hundred iterations to the last digit.
    const Array a = plane(1, 2.002f, 2.05f), b = plane(2, -0.001f, 0.001f), c = plane(3, 2.002f, 2.05f);
    const Array right = uniform(stream_, 2 * pixels, 4, -1, 1).reshape({2, height, width});
    const Array r = right.copy(), by_peer = like(right), q = like(right),
                p = Array::zeros(stream_, {2, height + 2, width + 2}, Dtype::f32);
    const double work = static_cast<double>(pixels) * iterations;
    Comparison line = comparison(fmt::format("CG for optical flow, {} x {}, {} iterations", width, height, iterations),
                                 {work / 1e9, "Gpixel/s", 124 * work});
    if (cuda_)
      line.peer(by_hand, [&] {
        r.assign(right);
        call_peer(cuda_->flow_cg, stream_, a.buffer(), b.buffer(), c.buffer(), w, r.buffer(), by_peer.buffer(),
                  p.buffer(), q.buffer(), static_cast<int>(width), static_cast<int>(height), iterations);
      });
    Array x;
    line.ours([&] { x = bench::flow_cg(a, b, c, w, right, iterations); },
              [&] {
                agree(x, by_peer, 1e-4, "CG for optical flow");
                require(residual(a, b, c, w, x, right) < 1e-3, "CG for optical flow: the residual");
              });
    add_lengths(suite_, lengths_, kernels::flow_cg_cpp, kernels::copperhead_flow_cg_cu);
  }

  void total() {
    const double ratio = static_cast<double>(lengths_.by_hand) / static_cast<double>(lengths_.ours);
    suite_.add(
        {"Copperhead's programs, length by hand over ours",
         ratio,
         "x",
         {},
         {{"target", ratio / 4}},
         {{"lines", static_cast<double>(lengths_.ours)}, {"lines by hand", static_cast<double>(lengths_.by_hand)}},
         "lines that hold code"});
  }

 private:
  Comparison comparison(const std::string& name, const Work& work) const { return {suite_, context_, name, work}; }
  static Array like(const Array& array) { return Array::empty(array.stream(), array.shape(), array.dtype()); }
  /// The peer's result is the reference; it has run before ours.
  void agree(const Array& ours, const Array& by_peer, double tolerance, const char* what) const {
    if (cuda_) require(deviation(ours, by_peer) < tolerance, what);
  }

  Suite& suite_;
  const Context& context_;
  const Stream& stream_;
  const CudaPeers* cuda_;
  Lengths lengths_;
};

}  // namespace

void copperhead_topic(Suite& suite, const Context& context) {
  Programs programs(suite, context);
  programs.axpy();
  programs.black_scholes();
  const bool gpu = context.on_gpu();
  programs.laplace(100, context.quick ? 100 : gpu ? 8000 : 1000, true);
  programs.laplace(context.quick ? 130 : gpu ? 8194 : 1026, 20, false);
  programs.mandelbrot(context.quick ? 64 : gpu ? 4096 : 512, 256);
  const HostCsr matrix = poisson(context.quick ? 8 : gpu ? 160 : 48);
  const CsrProblem seven_points{matrix.starts, matrix.columns};
  programs.spmv_csr(seven_points, false);
  programs.spmv_csr(random_rows(context.quick ? 1 << 8 : gpu ? 1 << 18 : 1 << 14, 64), true);
  programs.spmv_ell(seven_points);
  programs.radix_sort(context.size(24, 18));
  programs.flow_cg(context.quick ? 24
                   : gpu         ? 1080
                                 : 240,
                   context.quick ? 32
                   : gpu         ? 1920
                                 : 320,
                   context.quick ? 50 : 100);
  programs.total();
}

}  // namespace rtcg::bench
