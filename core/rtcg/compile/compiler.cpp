#include "rtcg/compile/compiler.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "rtcg/compile/assembly.h"
#include "rtcg/compile/module_state.h"
#include "rtcg/compile/signature.h"
#include "rtcg/environment.h"

namespace rtcg {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Asking the driver takes longer than all the rest of a look-up. A device that has been asked stays.
const std::string& identity_of(const Device& device) {
  static std::mutex mutex;
  static auto* const known = new std::map<const Driver*, std::pair<Device, std::string>>;
  const std::scoped_lock lock(mutex);
  auto found = known->find(&device.driver());
  if (found == known->end())
    found = known->emplace(&device.driver(), std::pair(device, device.driver().compiler_identity())).first;
  return found->second.second;
}

Assembly assemble_for(const Device& device, const Source& source) {
  return assemble(PreludeTarget::of(device.properties()), identity_of(device), source);
}

ProgramBuild build(const Device& device, const Assembly& assembly) {
  try {
    return device.driver().build(assembly.request);
  } catch (const BuildFailure& failure) {
    throw_compile_error(failure.log, assembly.request, device.id());
  }
}

Module load_or_build(const Device& device, const Source& source, const Assembly& assembly) {
  const auto start = Clock::now();
  Driver& driver = device.driver();
  CompileCache& cache = CompileCache::standard();
  auto state = std::make_shared<Module::State>(device, 0, source.name());
  state->signatures = read_signatures(assembly.included, source.defines());

  const auto make = [&] {
    ProgramBuild built = build(device, assembly);
    state->program = built.program;
    return CompileCache::Entry{driver.binary(state->program), std::move(built.log), serialise(state->signatures)};
  };
  bool made = false;
  CompileCache::Entry entry = cache.find_or_make(assembly.manifest, make, &made);
  if (!made) {
    try {
      state->program = driver.load(entry.binary);
    } catch (const DeviceError&) {
      // An intact entry that the driver does not take, after an update that its identity does not show.
      entry = make();
      cache.store(assembly.manifest, entry);
      made = true;
    }
  }
  // From a text PoCL makes code for each group size anew, from a binary it takes code for any size: only by using the
  // binary at once do the first and all later runs execute the same instructions and give the same bits. What the
  // binary costs is saved at the first launch.
  if (made && driver.properties().backend == Backend::opencl)
    driver.release_program(std::exchange(state->program, driver.load(entry.binary)));
  state->log = std::move(entry.log);
  state->from_cache = !made;
  state->build_seconds = seconds_since(start);
  return Module(std::move(state));
}

/// Runs make() once per key however many threads ask at once, and remembers its result; a failure is forgotten.
template <class Key, class Value>
class Memo {
 public:
  template <class Make>
  Value get(const Key& key, const Make& make) {
    std::promise<Value> promise;
    std::shared_future<Value> future;
    {
      const std::scoped_lock lock(mutex_);
      const auto [place, fresh] = values_.try_emplace(key);
      if (fresh)
        place->second = promise.get_future().share();
      else
        future = place->second;
    }
    if (future.valid()) return future.get();
    try {
      Value value = make();
      promise.set_value(value);
      return value;
    } catch (...) {
      {
        const std::scoped_lock lock(mutex_);
        values_.erase(key);
      }
      promise.set_exception(std::current_exception());
      throw;
    }
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_future<Value>> values_;
};

// Never destroyed: modules that live as long as the process need not be taken apart while their driver goes away.
Memo<std::pair<const Driver*, CacheKey>, Module>& modules() {
  static auto* const memo = new Memo<std::pair<const Driver*, CacheKey>, Module>;
  return *memo;
}

}  // namespace

Module compile(const Device& device, const Source& source) {
  const Assembly assembly = assemble_for(device, source);
  return modules().get({&device.driver(), assembly.manifest.key()}, [&] {
    if (source.dialect() == Dialect::portable || source.dialect() == Dialect::cuda)
      for (const std::string& architecture : environment().check_architectures) check_cuda(source, architecture);
    return load_or_build(device, source, assembly);
  });
}

std::vector<Module> compile_all(const Device& device, std::span<const Source> sources) {
  std::vector<std::optional<Module>> modules_found(sources.size());
  std::vector<std::exception_ptr> errors(sources.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < sources.size();) try {
        modules_found[i] = compile(device, sources[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
  };
  {
    const std::size_t count = std::min<std::size_t>(sources.size(), std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  std::vector<Module> result;
  for (std::optional<Module>& found : modules_found) result.push_back(std::move(*found));
  return result;
}

Module load_module(const Device& device, std::span<const std::byte> binary, std::string name) {
  const auto start = Clock::now();
  auto state = std::make_shared<Module::State>(device, device.driver().load(binary), std::move(name));
  state->build_seconds = seconds_since(start);
  return Module(std::move(state));
}

Manifest manifest_for(const Device& device, const Source& source) {
  return assemble_for(device, source).manifest;
}

}  // namespace rtcg
