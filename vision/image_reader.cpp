#include "vision/image_reader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace rtcg::vision {

namespace {

/// Images that a thread claims at once: small ones are read faster than threads can agree on each.
constexpr std::size_t run = 4;

}  // namespace

struct ImageReader::State {
  struct Slot {
    std::optional<HostImage> image;
    std::exception_ptr failure;
  };

  const ImageSource& source;
  std::vector<Slot> slots;  ///< image k in slot k % slots
  std::mutex mutex;
  std::condition_variable room, ready;
  std::size_t claimed = 0, taken = 0;
  bool stop = false;
  double waited = 0;
  std::vector<std::thread> threads;

  State(const ImageSource& from, std::size_t ahead) : source(from), slots(std::max(ahead, run)) {}

  void read_on() {
    std::unique_lock lock(mutex);
    while (true) {
      room.wait(lock, [&] { return stop || claimed == source.size() || claimed + run <= taken + slots.size(); });
      if (stop || claimed == source.size()) return;
      const std::size_t first = claimed, last = std::min(first + run, source.size());
      claimed = last;
      lock.unlock();
      std::vector<Slot> read(last - first);
      for (std::size_t k = first; k < last; ++k) {
        try {
          read[k - first].image = source.read(k);
        } catch (...) {
          read[k - first].failure = std::current_exception();
        }
      }
      lock.lock();
      for (std::size_t k = first; k < last; ++k) slots[k % slots.size()] = std::move(read[k - first]);
      ready.notify_one();
    }
  }
};

ImageReader::ImageReader(const ImageSource& source, std::size_t ahead, unsigned threads)
    : state_(std::make_unique<State>(source, ahead)) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t most = (source.size() + run - 1) / run;
  for (std::size_t k = 0; k < std::min<std::size_t>(threads, most); ++k)
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
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(state.mutex);
  State::Slot& slot = state.slots[state.taken % state.slots.size()];
  state.ready.wait(lock, [&] { return slot.image || slot.failure; });
  state.waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (slot.failure) std::rethrow_exception(slot.failure);
  HostImage image = std::move(*slot.image);
  slot.image.reset();
  ++state.taken;
  lock.unlock();
  state.room.notify_one();
  return image;
}

double ImageReader::waited() const {
  return state_->waited;
}

}  // namespace rtcg::vision
