#include "vision/image_reader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace rtcg::vision {

namespace {

/// Small images are read faster than threads can agree on each: a thread takes a run of about this many values.
constexpr std::size_t run_values = 1 << 16, longest_run = 64;

/// Consecutive images, up to the first that could not be read.
struct Run {
  std::vector<HostImage> images;
  std::exception_ptr failure;
  bool ready = false;
};

}  // namespace

struct ImageReader::State {
  const ImageSource& source;
  std::size_t length = 1;  ///< images in a run
  std::vector<Run> runs;   ///< run k in runs[k % size]
  std::mutex mutex;
  std::condition_variable room, ready;
  std::size_t claimed = 0, taken = 0;  ///< runs
  bool stop = false;
  double waited = 0;
  Run current;  ///< being handed out
  std::size_t next = 0;
  std::vector<std::thread> threads;

  explicit State(const ImageSource& from) : source(from) {}

  std::size_t count() const { return (source.size() + length - 1) / length; }

  Run read(std::size_t which) const {
    Run run;
    const std::size_t first = which * length, last = std::min(first + length, source.size());
    run.images.reserve(last - first);
    try {
      for (std::size_t k = first; k < last; ++k) run.images.push_back(source.read(k));
    } catch (...) {
      run.failure = std::current_exception();
    }
    run.ready = true;
    return run;
  }

  void read_on() {
    std::unique_lock lock(mutex);
    while (true) {
      room.wait(lock, [&] { return stop || claimed == count() || claimed < taken + runs.size(); });
      if (stop || claimed == count()) return;
      const std::size_t which = claimed++;
      lock.unlock();
      Run run = read(which);
      lock.lock();
      runs[which % runs.size()] = std::move(run);
      ready.notify_one();
    }
  }
};

ImageReader::ImageReader(const ImageSource& source, std::size_t ahead, unsigned threads)
    : state_(std::make_unique<State>(source)) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t values = std::max<std::size_t>(1, source.read(0).pixels.size());
  state_->length = std::clamp<std::size_t>(run_values / values, 1, longest_run);
  state_->runs.resize(std::max<std::size_t>(2 * threads, ahead / state_->length));
  for (std::size_t k = 0; k < std::min<std::size_t>(threads, state_->count()); ++k)
    state_->threads.emplace_back([state = state_.get()] { state->read_on(); });
}

ImageReader::~ImageReader() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stop = true;
  }
  state_->room.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

HostImage ImageReader::take() {
  State& state = *state_;
  if (state.next == state.current.images.size()) {
    if (state.current.failure) std::rethrow_exception(state.current.failure);
    const auto start = std::chrono::steady_clock::now();
    {
      std::unique_lock lock(state.mutex);
      Run& run = state.runs[state.taken % state.runs.size()];
      state.ready.wait(lock, [&] { return run.ready; });
      state.current = std::exchange(run, {});
      ++state.taken;
    }
    state.room.notify_one();
    state.waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.next = 0;
    if (state.current.images.empty()) std::rethrow_exception(state.current.failure);
  }
  return std::move(state.current.images[state.next++]);
}

double ImageReader::waited() const {
  return state_->waited;
}

}  // namespace rtcg::vision
