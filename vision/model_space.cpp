#include "vision/model_space.h"

#include <random>
#include <sstream>

#include <fmt/format.h>

#include "vision/model_plan.h"
#include "vision/model_toml.h"

namespace rtcg::vision {

namespace {

constexpr int most_attempts = 10000;

/// Whether the array is a list to choose from, not the list of layers.
bool is_choice(const toml::array& array) {
  return !array.is_array_of_tables();
}

/// Calls `choose` with each list to choose from and puts what it gives in the list's place.
template <class Choose>
void replace_choices(toml::table& table, const Choose& choose) {
  for (auto&& [key, node] : table) {
    if (toml::table* inner = node.as_table()) {
      replace_choices(*inner, choose);
    } else if (toml::array* array = node.as_array()) {
      if (is_choice(*array)) {
        const std::size_t chosen = choose(*array);
        if (array->size() == 0) continue;  // left for the reader of models to refuse
        const toml::array values = *array;
        values.get(chosen)->visit([&](const auto& value) { table.insert_or_assign(key, value); });
      } else {
        for (toml::node& element : *array) replace_choices(*element.as_table(), choose);
      }
    }
  }
}

}  // namespace

struct ModelSpace::State {
  toml::table table;
  std::string file;
  std::filesystem::path directory;
  std::string name;
  InputFormat input;
  double size = 1;

  template <class Choose>
  ModelDescription choose(const Choose& choose) const {
    toml::table chosen = table;
    replace_choices(chosen, choose);
    const TomlTable whole(chosen, file);
    if (toml::array* layers = chosen["layers"].as_array(); layers && whole.has("depth")) {
      const std::size_t depth = *whole.whole("depth", 1, std::max<std::size_t>(1, layers->size()));
      layers->erase(layers->begin() + static_cast<std::ptrdiff_t>(depth), layers->end());
    }
    chosen.erase("depth");
    return model_from_toml(chosen, file, directory);
  }
};

ModelSpace ModelSpace::read(const std::filesystem::path& file) {
  return parse(read_text(file.string()), file.string(), file.parent_path());
}

ModelSpace ModelSpace::parse(std::string_view text, const std::string& name, const std::filesystem::path& directory) {
  auto state = std::make_shared<State>(State{parse_toml(text, name), name, directory, {}, {}});
  std::vector<std::size_t> lengths;
  const auto first = [&](const toml::array& values) -> std::size_t {
    lengths.push_back(values.size());
    return 0;
  };
  toml::table deepest = state->table;
  deepest.erase("depth");
  const ModelDescription model = State{deepest, name, directory, {}, {}}.choose(first);
  lengths.clear();
  state->choose(first);
  // Every value once, with the first of the others.
  for (std::size_t list = 0; list < lengths.size(); ++list)
    for (std::size_t value = 1; value < lengths[list]; ++value) {
      std::size_t at = 0;
      state->choose([&](const toml::array&) { return at++ == list ? value : 0; });
    }
  for (const std::size_t length : lengths) state->size *= static_cast<double>(length);
  state->name = model.name, state->input = model.input;
  return ModelSpace(std::move(state));
}

const InputFormat& ModelSpace::input() const {
  return state_->input;
}

double ModelSpace::size() const {
  return state_->size;
}

std::string ModelSpace::text() const {
  std::ostringstream text;
  text << state_->table;
  return text.str();
}

ModelDescription ModelSpace::sample(std::uint64_t seed) const {
  std::mt19937_64 words(seed);
  ModelDescription model = state_->choose([&](const toml::array& values) { return words() % values.size(); });
  model.name = fmt::format("{}-{}", state_->name, seed);
  return model;
}

ModelDescription ModelSpace::sample(std::uint64_t seed, std::size_t height, std::size_t width) const {
  std::mt19937_64 words(seed);
  std::string reason;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    ModelDescription model = state_->choose([&](const toml::array& values) { return words() % values.size(); });
    try {
      plan_model(model, height, width);
    } catch (const UsageError& error) {
      reason = error.what();
      continue;
    }
    model.name = fmt::format("{}-{}", state_->name, seed);
    return model;
  }
  throw UsageError(fmt::format("space \"{}\": none of {} models fits images of {} x {}; the last: {}", state_->name,
                               most_attempts, height, width, reason));
}

}  // namespace rtcg::vision
