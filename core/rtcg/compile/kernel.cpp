#include "rtcg/compile/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/compile/module_state.h"
#include "rtcg/compile/signature.h"

namespace rtcg {

namespace {

bool same_types(const std::vector<ArgumentType>& types, std::span<const Argument> arguments) {
  if (types.size() != arguments.size()) return false;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i] != arguments[i].type) return false;
  return true;
}

/// Index of a buffer or texture that is empty, or the number of arguments.
std::size_t first_empty(std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.space == ArgumentSpace::value) continue;
    Handle handle = 0;
    std::memcpy(&handle, arguments[i].data, sizeof handle);
    if (handle == 0) return i;
  }
  return arguments.size();
}

std::string parameter_name(const Signature* signature, std::size_t index) {
  if (signature == nullptr || index >= signature->parameters.size()) return fmt::format("argument {}", index + 1);
  return fmt::format("argument {} ({})", index + 1, signature->parameters[index].declaration);
}

}  // namespace

Kernel::State::~State() {
  if (handle != 0) driver->release_kernel(handle);
  for (const Checked* list = all.load(); list != nullptr;) {
    const Checked* next = list->next;
    delete list;
    list = next;
  }
}

const std::string& Kernel::name() const {
  return state_->name;
}
const Signature* Kernel::signature() const {
  return state_->signature ? &*state_->signature : nullptr;
}
KernelResources Kernel::resources() const {
  return state_->driver->resources(state_->handle);
}
const Device& Kernel::device() const {
  return state_->module->device;
}
Handle Kernel::native() const {
  return state_->handle;
}

void Kernel::launch(const Stream& stream, const Grid& grid, std::span<const Argument> arguments) const {
  State& state = *state_;
  Driver& driver = *state.driver;
  const std::size_t empty = first_empty(arguments);
  if (empty != arguments.size())
    throw UsageError(fmt::format("kernel {}: {} is an empty {}", state.name, parameter_name(signature(), empty),
                                 arguments[empty].type.space == ArgumentSpace::buffer ? "Buffer" : "Texture"));
  if (&stream.device().driver() != &driver)
    throw UsageError(fmt::format("kernel {} was compiled for {}, the stream is of {}", state.name,
                                 driver.properties().id, stream.device().id()));

  const State::Checked* checked = state.latest.load(std::memory_order_acquire);
  if (checked != nullptr && same_types(checked->types, arguments)) [[likely]] {
    driver.launch(stream.native(), state.handle, grid, arguments);
    return;
  }

  checked = state.all.load(std::memory_order_acquire);
  while (checked != nullptr && !same_types(checked->types, arguments)) checked = checked->next;
  if (checked == nullptr) {
    if (state.signature) check_arguments(*state.signature, arguments);
    auto fresh = std::make_unique<State::Checked>();
    for (const Argument& argument : arguments) fresh->types.push_back(argument.type);
    fresh->next = state.all.load(std::memory_order_relaxed);
    while (!state.all.compare_exchange_weak(fresh->next, fresh.get(), std::memory_order_release,
                                            std::memory_order_relaxed)) {
    }
    checked = fresh.release();
  }
  driver.launch(stream.native(), state.handle, grid, arguments);
  state.latest.store(checked, std::memory_order_release);
}

Module::State::~State() {
  kernels.clear();
  if (program != 0) device.driver().release_program(program);
}

Kernel Module::kernel(std::string_view name) const {
  const std::scoped_lock lock(state_->mutex);
  auto found = state_->kernels.find(name);
  if (found == state_->kernels.end()) {
    const std::vector<std::string> names = kernel_names();
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(fmt::format("{} has no kernel {}; it has {}", state_->name, name, fmt::join(names, ", ")));
    Driver& driver = state_->device.driver();
    const std::string text(name);
    const Handle handle = driver.kernel(state_->program, text);
    Kernel::State& kernel = state_->kernels[text];
    kernel.module = state_.get();
    kernel.driver = &driver;
    kernel.handle = handle;
    kernel.name = text;
    const auto read = std::find_if(state_->signatures.begin(), state_->signatures.end(),
                                   [&](const Signature& signature) { return signature.kernel == name; });
    kernel.signature = reconcile(name, read == state_->signatures.end() ? nullptr : &*read, driver.parameters(handle));
    found = state_->kernels.find(name);
  }
  return Kernel(std::shared_ptr<Kernel::State>(state_, &found->second));
}

std::vector<std::string> Module::kernel_names() const {
  std::vector<std::string> names = state_->device.driver().kernel_names(state_->program);
  if (names.empty())
    for (const Signature& signature : state_->signatures) names.push_back(signature.kernel);
  return names;
}

const Device& Module::device() const {
  return state_->device;
}
const std::string& Module::log() const {
  return state_->log;
}
bool Module::from_cache() const {
  return state_->from_cache;
}
double Module::build_seconds() const {
  return state_->build_seconds;
}
std::vector<std::byte> Module::binary() const {
  return state_->device.driver().binary(state_->program);
}

}  // namespace rtcg
