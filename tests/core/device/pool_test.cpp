#include "rtcg/device/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "rtcg/error.h"

namespace rtcg {
namespace {

/// Memory is numbers; the work of a stream is done when the test says so.
class CountingDriver final : public Driver {
 public:
  explicit CountingDriver(std::size_t memory = std::size_t{1} << 40) : Driver(describe(memory)), memory_(memory) {}
  ~CountingDriver() override { drop_pool(); }

  Handle allocate(std::size_t bytes, MemoryKind kind) override {
    const std::lock_guard lock(mutex_);
    ++allocations;
    if (bytes > memory_ - used) throw OutOfMemory("the counting driver is full");
    used += bytes;
    blocks_[++next_] = {bytes, kind};
    return next_;
  }
  void release(Handle memory, MemoryKind kind) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(memory);
    if (block == blocks_.end() || block->second.kind != kind) {
      ++wrong_releases;
      return;
    }
    used -= block->second.bytes;
    blocks_.erase(block);
    ++releases;
  }
  std::size_t free_memory() override {
    const std::lock_guard lock(mutex_);
    return memory_ - used;
  }

  Handle record_event(Handle stream) override {
    const std::lock_guard lock(mutex_);
    if (stream == 0) throw DeviceError("event on no stream");
    ++events;
    event_streams_[++next_] = stream;
    return next_;
  }
  void release_event(Handle event) noexcept override {
    const std::lock_guard lock(mutex_);
    if (event_streams_.erase(event) == 1) --events;
  }
  bool is_complete(Handle event) override {
    const std::lock_guard lock(mutex_);
    return !busy.contains(event_streams_.at(event));
  }
  void synchronize_event(Handle event) override {
    const std::lock_guard lock(mutex_);
    synchronized.insert(event_streams_.at(event));
  }
  void synchronize(Handle stream) override {
    const std::lock_guard lock(mutex_);
    synchronized.insert(stream);
  }

  std::size_t allocations = 0, releases = 0, wrong_releases = 0, used = 0, events = 0;
  std::set<Handle> busy, synchronized;

  // What a pool never calls.
  Handle slice(Handle, std::size_t, std::size_t) override { return unexpected(); }
  void release_slice(Handle) noexcept override {}
  void* allocate_host(std::size_t) override { return reinterpret_cast<void*>(unexpected()); }
  void release_host(void*) noexcept override {}
  void copy_in(Handle, Handle, std::size_t, const void*, std::size_t, bool) override { unexpected(); }
  void copy_out(Handle, void*, Handle, std::size_t, std::size_t, bool) override { unexpected(); }
  void copy(Handle, Handle, std::size_t, Handle, std::size_t, std::size_t) override { unexpected(); }
  void fill(Handle, Handle, std::size_t, std::size_t, const void*, std::size_t) override { unexpected(); }
  void* map(Handle, Handle, std::size_t, std::size_t, Access) override { return reinterpret_cast<void*>(unexpected()); }
  void unmap(Handle, Handle, void*) override { unexpected(); }
  Handle create_texture(const TextureDescription&) override { return unexpected(); }
  void release_texture(Handle) noexcept override {}
  void write_texture(Handle, Handle, const void*) override { unexpected(); }
  Handle create_stream() override { return unexpected(); }
  void release_stream(Handle) noexcept override {}
  void flush(Handle) override { unexpected(); }
  void wait_event(Handle, Handle) override { unexpected(); }
  double seconds_between(Handle, Handle) override { return static_cast<double>(unexpected()); }
  std::string compiler_identity() override { return std::to_string(unexpected()); }
  ProgramBuild build(const CompileRequest&) override { return {unexpected(), ""}; }
  Handle load(std::span<const std::byte>) override { return unexpected(); }
  std::vector<std::byte> binary(Handle) override { return std::vector<std::byte>(unexpected()); }
  void release_program(Handle) noexcept override {}
  std::vector<std::string> kernel_names(Handle) override { return std::vector<std::string>(unexpected()); }
  Handle kernel(Handle, const std::string&) override { return unexpected(); }
  void release_kernel(Handle) noexcept override {}
  KernelResources resources(Handle) override { return {static_cast<int>(unexpected())}; }
  std::vector<ParameterInfo> parameters(Handle) override { return std::vector<ParameterInfo>(unexpected()); }
  void launch(Handle, Handle, const Grid&, std::span<const Argument>) override { unexpected(); }

 private:
  struct Allocation {
    std::size_t bytes;
    MemoryKind kind;
  };
  static DeviceProperties describe(std::size_t memory) {
    DeviceProperties properties;
    properties.id = "counting:0";
    properties.name = "Counter";
    properties.global_memory = memory;
    properties.largest_allocation = memory;
    return properties;
  }
  static Handle unexpected() { throw std::logic_error("the pool has no business calling this"); }

  std::mutex mutex_;
  std::size_t memory_;
  Handle next_ = 0;
  std::map<Handle, Allocation> blocks_;
  std::map<Handle, Handle> event_streams_;
};

constexpr Handle first_stream = 101, second_stream = 102;

TEST(PoolBins, HoldTheRequestAndWasteAtMostAnEighth) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 100000; ++trial) {
    const std::size_t bytes =
        trial < 5000 ? static_cast<std::size_t>(trial) + 1 : 1 + (random() >> (random() % 50 + 12));
    const std::size_t bin = MemoryPool::bin_bytes(bytes);
    ASSERT_GE(bin, bytes);
    ASSERT_LE((bin - bytes) * 8, bytes) << bytes << " bytes in a bin of " << bin;
    ASSERT_EQ(MemoryPool::bin_bytes(bin), bin);
  }
}

TEST(PoolBins, AreEightPerPowerOfTwo) {
  std::set<std::size_t> bins;
  for (std::size_t bytes = 65537; bytes <= 131072; ++bytes) bins.insert(MemoryPool::bin_bytes(bytes));
  EXPECT_EQ(bins, (std::set<std::size_t>{73728, 81920, 90112, 98304, 106496, 114688, 122880, 131072}));
}

TEST(PoolBins, DoNotOverflow) {
  EXPECT_EQ(MemoryPool::bin_bytes(SIZE_MAX), SIZE_MAX);
  EXPECT_EQ(MemoryPool::bin_bytes(SIZE_MAX - 5), SIZE_MAX - 5);
  EXPECT_EQ(MemoryPool::bin_bytes(0), 1u);
}

TEST(Pool, GivesABlockBackToTheSameStreamWithoutEvents) {
  CountingDriver driver;
  const MemoryPool::Block block = driver.pool().acquire(first_stream, 1000, MemoryKind::device);
  driver.busy = {first_stream};
  driver.pool().give_back(block);
  const MemoryPool::Block again = driver.pool().acquire(first_stream, 1010, MemoryKind::device);
  EXPECT_EQ(again.memory, block.memory);
  EXPECT_EQ(again.bytes, 1024u);
  EXPECT_EQ(driver.allocations, 1u);
  EXPECT_EQ(driver.events, 0u);
  driver.pool().give_back(again);
}

TEST(Pool, KeepsKindsAndBinsApart) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  pool.give_back(pool.acquire(first_stream, 4096, MemoryKind::device));
  for (const MemoryPool::Block& other :
       {pool.acquire(first_stream, 4096, MemoryKind::mapped), pool.acquire(first_stream, 2000, MemoryKind::device),
        pool.acquire(first_stream, 5000, MemoryKind::device)})
    pool.give_back(other);
  EXPECT_EQ(driver.allocations, 4u);
  EXPECT_EQ(pool.statistics().reused, 0u);
  pool.trim();
  EXPECT_EQ(driver.releases, 4u);
  EXPECT_EQ(driver.wrong_releases, 0u);
}

TEST(Pool, ServesAnotherStreamOnlyAfterTheEvent) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  const MemoryPool::Block block = pool.acquire(first_stream, 512, MemoryKind::device);
  driver.busy = {first_stream};
  pool.give_back(block);
  const MemoryPool::Block early = pool.acquire(second_stream, 512, MemoryKind::device);
  EXPECT_NE(early.memory, block.memory);
  driver.busy = {};
  const MemoryPool::Block late = pool.acquire(second_stream, 512, MemoryKind::device);
  EXPECT_EQ(late.memory, block.memory);
  EXPECT_EQ(late.stream, second_stream);
  EXPECT_EQ(driver.events, 0u) << "the event has served its purpose";
  pool.give_back(late);
  EXPECT_EQ(pool.acquire(second_stream, 512, MemoryKind::device).memory, block.memory);
}

TEST(Pool, KeepsTheBlocksOfAStreamThatIsGoneForOthers) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  const MemoryPool::Block block = pool.acquire(first_stream, 512, MemoryKind::device);
  pool.give_back(block);
  driver.busy = {first_stream};
  pool.forget_stream(first_stream);
  // A new stream may get the old one's handle; the block still belongs to the old work.
  EXPECT_NE(pool.acquire(first_stream, 512, MemoryKind::device).memory, block.memory);
  driver.busy = {};
  EXPECT_EQ(pool.acquire(first_stream, 512, MemoryKind::device).memory, block.memory);
}

TEST(Pool, WaitsForTheStreamBeforeItReleasesMemory) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  pool.give_back(pool.acquire(first_stream, 512, MemoryKind::device));
  pool.trim();
  EXPECT_EQ(driver.synchronized, (std::set<Handle>{first_stream}));
  pool.give_back(pool.acquire(second_stream, 512, MemoryKind::device));
  pool.forget_stream(second_stream);
  pool.trim();
  EXPECT_EQ(driver.synchronized, (std::set<Handle>{first_stream, second_stream}));
  EXPECT_EQ(driver.events, 0u);
}

TEST(Pool, ReleasesWhatItHoldsBeforeTheDriverMayFail) {
  CountingDriver driver(1 << 20);
  MemoryPool& pool = driver.pool();
  pool.give_back(pool.acquire(first_stream, 600 << 10, MemoryKind::device));
  const MemoryPool::Block block = pool.acquire(first_stream, 900 << 10, MemoryKind::device);
  EXPECT_NE(block.memory, 0u);
  EXPECT_EQ(driver.releases, 1u);
  EXPECT_EQ(pool.statistics().held_bytes, 0u);
  pool.give_back(block);
}

TEST(Pool, ReleasesWhatItHoldsBeforeTheLimitStopsIt) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  pool.set_limit(1 << 20);
  pool.give_back(pool.acquire(first_stream, 600 << 10, MemoryKind::device));
  const MemoryPool::Block block = pool.acquire(first_stream, 900 << 10, MemoryKind::device);
  EXPECT_EQ(driver.releases, 1u);
  EXPECT_THROW(pool.acquire(first_stream, 600 << 10, MemoryKind::device), OutOfMemory);
  EXPECT_EQ(pool.statistics().active_blocks, 1u) << "a refused request leaves no trace";
  pool.set_limit(0);
  pool.give_back(pool.acquire(first_stream, 600 << 10, MemoryKind::device));
  pool.give_back(block);
}

TEST(Pool, LoweringTheLimitReleasesAtOnce) {
  CountingDriver driver;
  driver.pool().give_back(driver.pool().acquire(first_stream, 4096, MemoryKind::device));
  driver.pool().set_limit(1024);
  EXPECT_EQ(driver.used, 0u);
}

TEST(Pool, SaysWhatWasAskedWhatIsFreeAndWhatItHolds) {
  CountingDriver driver(std::size_t{4} << 20);
  MemoryPool& pool = driver.pool();
  const MemoryPool::Block block = pool.acquire(first_stream, std::size_t{1} << 20, MemoryKind::device);
  pool.give_back(pool.acquire(first_stream, std::size_t{2} << 20, MemoryKind::device));
  try {
    pool.acquire(first_stream, std::size_t{7} << 19, MemoryKind::device);
    FAIL() << "3.5 MiB cannot be had while 1 MiB of 4 is in use";
  } catch (const OutOfMemory& error) {
    const std::string message = error.what();
    for (const char* part : {"counting:0 (Counter)", "3.50 MiB asked for", "3.00 MiB of 4.00 MiB free",
                             "1.00 MiB in use", "gave back 2.00 MiB"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  pool.set_limit(std::size_t{1} << 20);
  try {
    pool.acquire(first_stream, 100, MemoryKind::device);
    FAIL() << "the limit is used up";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("of a limit of 1.00 MiB"), std::string::npos) << error.what();
  }
  pool.give_back(block);
}

TEST(Pool, ServesTheLargestAllocationThoughItsBinIsLarger) {
  constexpr std::size_t odd = 1000003;
  CountingDriver driver(odd);
  ASSERT_GT(MemoryPool::bin_bytes(odd), odd);
  const MemoryPool::Block block = driver.pool().acquire(first_stream, odd, MemoryKind::device);
  EXPECT_EQ(block.bytes, odd);
  driver.pool().give_back(block);
}

TEST(Pool, CountsWhatItDoes) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  const MemoryPool::Block a = pool.acquire(first_stream, 1000, MemoryKind::device);
  const MemoryPool::Block b = pool.acquire(first_stream, 2000, MemoryKind::device);
  pool.give_back(a);
  MemoryPool::Statistics now = pool.statistics();
  EXPECT_EQ(now.held_bytes, 1024u);
  EXPECT_EQ(now.active_bytes, 2048u);
  EXPECT_EQ(now.peak_bytes, 3072u);
  EXPECT_EQ(now.held_blocks, 1u);
  EXPECT_EQ(now.active_blocks, 1u);
  pool.give_back(pool.acquire(first_stream, 1000, MemoryKind::device));
  pool.give_back(b);
  pool.trim();
  now = pool.statistics();
  EXPECT_EQ(now.requests, 3u);
  EXPECT_EQ(now.reused, 1u);
  EXPECT_EQ(now.held_bytes + now.active_bytes + now.held_blocks + now.active_blocks, 0u);
  EXPECT_EQ(now.peak_bytes, 3072u);
}

TEST(Pool, HoldsNothingWhenToldSo) {
  CountingDriver driver;
  MemoryPool& pool = driver.pool();
  const MemoryPool::Block block = pool.acquire(first_stream, 64, MemoryKind::mapped);
  pool.give_back(pool.acquire(first_stream, 64, MemoryKind::device));
  pool.stop_holding(true);
  EXPECT_EQ(driver.releases, 1u);
  pool.give_back(block);
  EXPECT_EQ(driver.releases, 2u);
  pool.stop_holding(false);
  pool.give_back(pool.acquire(first_stream, 64, MemoryKind::device));
  EXPECT_EQ(pool.statistics().held_blocks, 1u);
}

TEST(Pool, IsSafeFromManyThreads) {
  CountingDriver driver(std::size_t{8} << 20);
  MemoryPool& pool = driver.pool();
  std::mutex owned_mutex;
  std::set<Handle> owned;
  std::atomic<int> doubles = 0, refusals = 0;
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<MemoryPool::Block> blocks;
    for (int step = 0; step < 3000; ++step) {
      if (blocks.size() < 8 && random() % 2 == 0) {
        try {
          blocks.push_back(pool.acquire(100 + seed % 3, 1 + random() % 400000, MemoryKind::device));
          const std::lock_guard lock(owned_mutex);
          if (!owned.insert(blocks.back().memory).second) ++doubles;
        } catch (const OutOfMemory&) {
          ++refusals;
        }
      } else if (!blocks.empty()) {
        {
          const std::lock_guard lock(owned_mutex);
          owned.erase(blocks.back().memory);
        }
        pool.give_back(blocks.back());
        blocks.pop_back();
      }
    }
    for (const MemoryPool::Block& block : blocks) {
      {
        const std::lock_guard lock(owned_mutex);
        owned.erase(block.memory);
      }
      pool.give_back(block);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(doubles, 0);
  EXPECT_EQ(pool.statistics().active_bytes, 0u);
  EXPECT_EQ(pool.statistics().held_bytes, driver.used);
  EXPECT_EQ(driver.wrong_releases, 0u);
  pool.trim();
  EXPECT_EQ(driver.used, 0u);
  EXPECT_EQ(driver.events, 0u);
}

}  // namespace
}  // namespace rtcg
