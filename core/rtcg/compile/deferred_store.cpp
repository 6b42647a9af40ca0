#include "rtcg/compile/deferred_store.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "rtcg/compile/module_state.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto quiet = std::chrono::milliseconds(100);
constexpr auto longest_wait = std::chrono::milliseconds(500);

void store(const DeferredEntry& entry) noexcept {
  try {
    CompileCache::standard().store(entry.manifest, {entry.module->device.driver().binary(entry.module->program),
                                                    entry.module->log, entry.metadata});
  } catch (const Error&) {
    // A driver that cannot give the binary back costs a compilation next time, nothing else.
  }
}

class Worker {
 public:
  void add(DeferredEntry entry) {
    std::unique_lock lock(mutex_);
    if (closed_) return;
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { run(); });
      // The driver's libraries and the devices are there already, so this runs before they are torn down.
      std::atexit([] { worker().close(); });
    }
    waiting_.push_back({std::move(entry), Clock::now() + longest_wait});
    last_activity_ = Clock::now();
    changed_.notify_all();
  }

  void postpone() {
    const std::scoped_lock lock(mutex_);
    last_activity_ = Clock::now();
  }

  void flush() {
    std::unique_lock lock(mutex_);
    ++flushing_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
    --flushing_;
  }

  // Never destroyed: threads of the caller may still compile while the process ends.
  static Worker& worker() {
    static Worker* const instance = new Worker;
    return *instance;
  }

 private:
  struct Item {
    DeferredEntry entry;
    Clock::time_point due;
  };

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (waiting_.empty()) {
        if (closed_) return;
        changed_.wait(lock);
        continue;
      }
      const Clock::time_point ready = std::min(waiting_.front().due, last_activity_ + quiet);
      if (!closed_ && flushing_ == 0 && Clock::now() < ready) {
        changed_.wait_until(lock, ready);
        continue;
      }
      {
        const Item item = std::move(waiting_.front());
        waiting_.pop_front();
        busy_ = true;
        lock.unlock();
        store(item.entry);
      }
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  Clock::time_point last_activity_;
  int flushing_ = 0;
  bool busy_ = false, closed_ = false;
  std::thread thread_;
};

}  // namespace

void store_later(DeferredEntry entry) { Worker::worker().add(std::move(entry)); }
void postpone_stores() { Worker::worker().postpone(); }
void flush_stores() { Worker::worker().flush(); }

}  // namespace rtcg
