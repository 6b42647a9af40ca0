#include "rtcg/array/kernel_table.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace rtcg {

namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

struct Table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Kernel>, Hash, std::equal_to<>> kernels;
};

Table& table() {
  static Table* instance = new Table;  // kernels may be used by other objects' destructors at exit
  return *instance;
}

}  // namespace

const Kernel& cached_kernel(const Device& device, std::string_view skeleton, std::string_view key,
                            const std::function<std::pair<Source, std::string>()>& make) {
  thread_local std::string full;
  const Driver* driver = &device.driver();
  full.clear();
  full.append(reinterpret_cast<const char*>(&driver), sizeof driver).append(skeleton).append(1, '\0').append(key);
  Table& t = table();
  {
    const std::shared_lock lock(t.mutex);
    if (const auto found = t.kernels.find(std::string_view(full)); found != t.kernels.end()) return *found->second;
  }
  std::string kept = full;  // making a kernel may come back here
  const auto [source, name] = make();
  auto kernel = std::make_unique<Kernel>(compile(device, source).kernel(name));
  const std::unique_lock lock(t.mutex);
  return *t.kernels.try_emplace(std::move(kept), std::move(kernel)).first->second;
}

}  // namespace rtcg
