#include "rtcg/tune/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "rtcg/error.h"

namespace rtcg {

namespace {

const char* type_of(const ParameterValue& value) {
  constexpr const char* names[] = {"true or false", "a whole number", "a word"};
  return names[value.index()];
}

template <class T>
const T& value_of(const Configuration& configuration, std::string_view name) {
  const ParameterValue* value = configuration.find(name);
  if (!value) throw UsageError(fmt::format("the configuration ({}) has no parameter {}", configuration.text(), name));
  if (const T* held = std::get_if<T>(value)) return *held;
  throw UsageError(fmt::format("the parameter {}={} is {}, where {} is asked for", name, to_text(*value),
                               type_of(*value), type_of(ParameterValue(T{}))));
}

}  // namespace

std::string to_text(const ParameterValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Configuration::Configuration(std::vector<Pair> values) {
  for (Pair& pair : values) {
    if (find(pair.first)) throw UsageError(fmt::format("the parameter {} is given twice", pair.first));
    values_.push_back(std::move(pair));
  }
}

void Configuration::set(std::string_view name, ParameterValue value) {
  for (Pair& pair : values_)
    if (pair.first == name) {
      pair.second = std::move(value);
      return;
    }
  values_.emplace_back(name, std::move(value));
}

const ParameterValue* Configuration::find(std::string_view name) const {
  for (const Pair& pair : values_)
    if (pair.first == name) return &pair.second;
  return nullptr;
}

std::int64_t Configuration::integer(std::string_view name) const {
  return value_of<std::int64_t>(*this, name);
}

bool Configuration::flag(std::string_view name) const {
  return value_of<bool>(*this, name);
}

const std::string& Configuration::word(std::string_view name) const {
  return value_of<std::string>(*this, name);
}

std::string Configuration::text() const {
  std::string text;
  for (const auto& [name, value] : values_)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(value));
  return text;
}

std::size_t Configuration::hash() const {
  std::size_t sum = values_.size();
  for (const auto& [name, value] : values_) {
    const std::size_t pair = std::hash<std::string>{}(name) ^ (std::hash<ParameterValue>{}(value)*0x9e3779b97f4a7c15u);
    sum += pair ^ (pair >> 32);  // a sum, because the order does not count
  }
  return sum;
}

bool operator==(const Configuration& a, const Configuration& b) {
  if (a.values_.size() != b.values_.size()) return false;
  return std::all_of(a.values_.begin(), a.values_.end(), [&b](const Configuration::Pair& pair) {
    const ParameterValue* other = b.find(pair.first);
    return other && *other == pair.second;
  });
}

}  // namespace rtcg
