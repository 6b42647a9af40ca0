// What a Module shares with its copies and its kernels. Internal to compile/.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "rtcg/compile/kernel.h"

namespace rtcg {

/// One kernel of a module; lives in the module's state, so a Kernel shares the module's ownership.
struct Kernel::State {
  /// A list of argument types that has been found to fit. Never freed while the kernel lives, so readers need no lock.
  struct Checked {
    std::vector<ArgumentType> types;
    const Checked* next = nullptr;
  };

  Module::State* module = nullptr;
  Driver* driver = nullptr;
  Handle handle = 0;
  std::string name;
  std::optional<Signature> signature;
  std::atomic<const Checked*> latest{nullptr};  ///< the list that fitted the last launch
  std::atomic<const Checked*> all{nullptr};

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();
};

struct Module::State {
  Device device;
  Handle program = 0;
  std::string name;
  std::vector<Signature> signatures;
  std::string log;
  bool from_cache = false;
  double build_seconds = 0;

  std::mutex mutex;  ///< guards kernels
  std::map<std::string, Kernel::State, std::less<>> kernels;

  State(Device on, Handle handle, std::string text_name)
      : device(std::move(on)), program(handle), name(std::move(text_name)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();
};

}  // namespace rtcg
