#include "dgfem/output/restart.h"

#include <fmt/format.h>

#include <algorithm>

#include "dgfem/output/element_keys.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

template <class T>
std::vector<T> read(const Buffer& buffer, std::size_t count) {
  std::vector<T> values(count);
  if (count > 0) buffer.read(values.data(), count * sizeof(T));
  return values;
}

NodalData nodal_data(const Solver& solver, const Buffer& buffer, std::vector<std::uint64_t> elements, int components) {
  const std::size_t count = elements.size() * static_cast<std::size_t>(solver.discretization().nodes()) *
                            static_cast<std::size_t>(components);
  NodalData data{std::move(elements), components, {}};
  if (solver.options().precision == ScalarType::f32)
    data.values = read<float>(buffer, count);
  else
    data.values = read<double>(buffer, count);
  return data;
}

std::vector<StageExtra::Array> arrays_of(const Solver& solver) {
  std::vector<StageExtra::Array> arrays;
  for (const auto& extra : solver.extras())
    for (StageExtra::Array& array : extra->state()) arrays.push_back(std::move(array));
  return arrays;
}

std::vector<std::uint64_t> keys_of(const StageExtra::Array& array, std::span<const std::uint64_t> all) {
  std::vector<std::uint64_t> keys;
  for (const std::int32_t e : array.elements) keys.push_back(all[static_cast<std::size_t>(e)]);
  return keys;
}

template <class T>
void load(Solver& solver, const Checkpoint& checkpoint, const std::string& name) {
  const Discretization& mesh = solver.discretization();
  const std::vector<std::uint64_t> keys = element_keys(mesh.mesh);
  std::vector<std::pair<Buffer, std::vector<T>>> writes;
  const auto prepare = [&](const Buffer& target, const NodalData& data, std::span<const std::uint64_t> elements) {
    writes.emplace_back(target, restored<T>(data, mesh.mesh.type, checkpoint.order, mesh.reference.order(), elements));
  };
  prepare(solver.state(), checkpoint.state, keys);
  for (const StageExtra::Array& array : arrays_of(solver)) {
    const NodalData& data = checkpoint.nodal.at(array.name);
    std::vector<std::uint64_t> own = keys_of(array, keys), stored = data.elements;
    const std::vector<std::uint64_t> in_order = own;
    std::sort(own.begin(), own.end());
    std::sort(stored.begin(), stored.end());
    if (own != stored || data.components != array.components)
      throw InputError(fmt::format("{}: its '{}' has {} values at each node of {} elements; the case has {} of {}{}",
                                   name, array.name, data.components, stored.size(), array.components, own.size(),
                                   own.size() == stored.size() ? " others" : ""));
    prepare(array.values, data, in_order);
  }
  for (const auto& [target, values] : writes)
    if (!values.empty()) target.write(values.data(), values.size() * sizeof(T));
}

}  // namespace

Checkpoint checkpoint_of(const Solver& solver) {
  const Discretization& mesh = solver.discretization();
  Checkpoint checkpoint;
  checkpoint.system = mesh.system->name;
  checkpoint.fields = mesh.system->fields;
  checkpoint.type = mesh.mesh.type;
  checkpoint.order = mesh.reference.order();
  checkpoint.time = solver.time();
  checkpoint.step = solver.steps();
  checkpoint.scheme = solver.options().scheme.name;
  checkpoint.time_step = solver.step();
  std::vector<std::uint64_t> keys = element_keys(mesh.mesh);
  for (const StageExtra::Array& array : arrays_of(solver))
    checkpoint.nodal[array.name] = nodal_data(solver, array.values, keys_of(array, keys), array.components);
  checkpoint.state = nodal_data(solver, solver.state(), std::move(keys), mesh.fields());
  return checkpoint;
}

void restart(Solver& solver, const Checkpoint& checkpoint, const std::string& name) {
  const Discretization& mesh = solver.discretization();
  require_same_problem(checkpoint, name, mesh.system->name, mesh.system->fields, mesh.mesh);
  std::vector<std::string> own;
  for (const StageExtra::Array& array : arrays_of(solver)) {
    own.push_back(array.name);
    if (checkpoint.nodal.count(array.name) == 0)
      throw InputError(fmt::format("{}: it lacks '{}', which the case needs", name, array.name));
  }
  for (const auto& [stored, data] : checkpoint.nodal)
    if (std::find(own.begin(), own.end(), stored) == own.end())
      throw InputError(fmt::format("{}: it holds '{}', for which the case has no use", name, stored));
  if (solver.options().precision == ScalarType::f32)
    load<float>(solver, checkpoint, name);
  else
    load<double>(solver, checkpoint, name);
  solver.set_clock(checkpoint.time, checkpoint.step);
}

}  // namespace rtcg::dgfem
