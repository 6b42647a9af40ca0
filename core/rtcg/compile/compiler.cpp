#include "rtcg/compile/compiler.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "rtcg/compile/assembly.h"
#include "rtcg/compile/deferred_store.h"
#include "rtcg/compile/module_state.h"
#include "rtcg/compile/signature.h"
#include "rtcg/environment.h"

namespace rtcg {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Assembly assemble_for(const Device& device, const Source& source) {
  return assemble(PreludeTarget::of(device.properties()), device.driver().compiler_identity(), source);
}

std::shared_ptr<Module::State> state_of(const Device& device, Handle program, const Source& source, const Assembly& assembly) {
  auto state = std::make_shared<Module::State>(device, program, source.name());
  state->signatures = read_signatures(assembly.included, source.defines());
  return state;
}

/// Null when there is no entry, or one that the driver does not take: that one is compiled again and replaced.
std::shared_ptr<Module::State> load_cached(const Device& device, const Source& source, const Assembly& assembly) {
  const auto start = Clock::now();
  const std::optional<CompileCache::Entry> entry = CompileCache::standard().find(assembly.manifest);
  if (!entry) return nullptr;
  Handle program = 0;
  try {
    program = device.driver().load(entry->binary);
  } catch (const DeviceError&) {
    return nullptr;
  }
  auto state = state_of(device, program, source, assembly);
  state->log = entry->log;
  state->from_cache = true;
  state->build_seconds = seconds_since(start);
  return state;
}

std::shared_ptr<Module::State> build(const Device& device, const Source& source, const Assembly& assembly) {
  const auto start = Clock::now();
  try {
    ProgramBuild built = device.driver().build(assembly.request);
    auto state = state_of(device, built.program, source, assembly);
    state->log = std::move(built.log);
    state->build_seconds = seconds_since(start);
    return state;
  } catch (const BuildFailure& failure) {
    throw_compile_error(failure.log, assembly.request, device.id());
  }
}

Module load_or_build(const Device& device, const Source& source, const Assembly& assembly) {
  if (auto state = load_cached(device, source, assembly)) return Module(std::move(state));
  CompileCache& cache = CompileCache::standard();
  CompileCache::KeyLock lock = cache.lock(assembly.manifest.key());
  if (auto state = load_cached(device, source, assembly)) return Module(std::move(state));

  auto state = build(device, source, assembly);
  postpone_stores();
  if (cache.directory().empty()) return Module(std::move(state));
  const std::string metadata = serialise(state->signatures);
  if (device.properties().backend == Backend::cuda) {
    cache.store(assembly.manifest, {device.driver().binary(state->program), state->log, metadata});
  } else {
    state->launched = postpone_stores;
    store_later({state, assembly.manifest, metadata, std::move(lock)});
  }
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
      if (fresh) place->second = promise.get_future().share();
      else future = place->second;
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
    if (source.dialect() != Dialect::raw)
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

Manifest manifest_for(const Device& device, const Source& source) { return assemble_for(device, source).manifest; }

void flush_compile_cache() { flush_stores(); }

}  // namespace rtcg
