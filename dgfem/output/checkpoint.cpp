#include "dgfem/output/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dgfem/output/element_keys.h"
#include "dgfem/reference_element.h"
#include "dgfem/simplex_basis.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/io/hdf5.h"

namespace rtcg::dgfem {

namespace {

constexpr const char* format_name = "rtcg-dgfem checkpoint";
constexpr int format_version = 1;
constexpr const char* number_prefix = "number_";

template <class T>
std::string checksum(const std::vector<T>& values) {
  return fmt::format("{:016x}", XXH3_64bits(values.data(), values.size() * sizeof(T)));
}

class Writer {
 public:
  Writer(const std::filesystem::path& path, const std::filesystem::path& shown)
      : shown_(shown.string()), file_(hdf5::File::create(path, shown)) {}

  void run(const Checkpoint& checkpoint) {
    const auto say = [&](const char* name, const hdf5::Attribute& value) { file_.set_attribute("/", name, value); };
    say("format", std::string(format_name));
    say("format_version", double{format_version});
    say("system", checkpoint.system);
    say("element", std::string(name_of(checkpoint.type)));
    say("order", double(checkpoint.order));
    say("time", checkpoint.time);
    say("step", static_cast<double>(checkpoint.step));
    say("scheme", checkpoint.scheme);
    say("time_step", checkpoint.time_step);
    for (const auto& [name, value] : checkpoint.numbers) say((number_prefix + name).c_str(), value);
    file_.write_texts("/fields", checkpoint.fields);
    if (checkpoint.state.components != static_cast<int>(checkpoint.fields.size()))
      throw UsageError(fmt::format("{}: a state of {} components for {} fields", shown_, checkpoint.state.components,
                                   checkpoint.fields.size()));
    nodal("/state", checkpoint.state, checkpoint);
    names("/nodal_names", checkpoint.nodal);
    for (const auto& [name, data] : checkpoint.nodal) nodal("/nodal/" + name, data, checkpoint);
    names("/series_names", checkpoint.series);
    for (const auto& [name, values] : checkpoint.series) write("/series/" + name, {values.size()}, values);
    file_.close();
  }

 private:
  template <class Map>
  void names(const std::string& dataset, const Map& map) {
    std::vector<std::string> names;
    for (const auto& entry : map) {
      if (entry.first.empty() || entry.first.find('/') != std::string::npos)
        throw UsageError(fmt::format("{}: \"{}\" cannot name data of a checkpoint", shown_, entry.first));
      names.push_back(entry.first);
    }
    file_.write_texts(dataset, names);
  }
  template <class T>
  void write(const std::string& dataset, const hdf5::Shape& shape, const std::vector<T>& values) {
    file_.write(dataset, shape, std::span<const T>(values));
    file_.set_attribute(dataset, "xxh3", checksum(values));
  }
  void nodal(const std::string& group, const NodalData& data, const Checkpoint& checkpoint) {
    const auto nodes = static_cast<std::size_t>(nodes_of(checkpoint.type, checkpoint.order)),
               components = static_cast<std::size_t>(data.components);
    std::visit(
        [&](const auto& values) {
          if (values.size() != data.elements.size() * nodes * components)
            throw UsageError(fmt::format("{}: {}: {} values for {} elements of {} nodes and {} components", shown_,
                                         group, values.size(), data.elements.size(), nodes, components));
          write(group + "/elements", {data.elements.size()}, data.elements);
          write(group + "/values", {data.elements.size(), nodes, components}, values);
        },
        data.values);
  }

  std::string shown_;
  hdf5::File file_;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : name_(path.string()), file_(hdf5::File::open(path)) {
    attributes_ = file_.attributes("/");
  }

  Checkpoint run() {
    const auto* format = attributes_.count("format") != 0 ? std::get_if<std::string>(&attributes_["format"]) : nullptr;
    if (format == nullptr || *format != format_name) fail("an HDF5 file, but no checkpoint of the DG solver");
    if (const int version = whole("format_version", 1, 1 << 20); version > format_version)
      fail(fmt::format("a checkpoint of format {}; this program reads up to {}", version, format_version));
    Checkpoint result;
    result.system = text("system");
    const std::string type = text("element");
    if (type == name_of(ElementType::triangle))
      result.type = ElementType::triangle;
    else if (type == name_of(ElementType::tetrahedron))
      result.type = ElementType::tetrahedron;
    else
      fail(fmt::format("elements of type \"{}\"; triangles and tetrahedra are known", type));
    result.order = whole("order", 1, highest_order);
    result.time = number("time");
    const double step = number("step");
    if (!(step >= 0 && step < 0x1p53)) fail(fmt::format("step is {}", step));
    result.step = static_cast<std::int64_t>(step);
    result.scheme = text("scheme");
    result.time_step = number("time_step");
    for (const auto& [name, value] : attributes_)
      if (name.starts_with(number_prefix))
        result.numbers[name.substr(std::string(number_prefix).size())] = number(name);
    result.fields = file_.read_texts("/fields");
    result.state = nodal("/state", result);
    if (result.state.components != static_cast<int>(result.fields.size()))
      fail(fmt::format("{} values at a node for {} fields", result.state.components, result.fields.size()));
    for (const std::string& name : file_.read_texts("/nodal_names"))
      result.nodal[name] = nodal("/nodal/" + name, result);
    for (const std::string& name : file_.read_texts("/series_names"))
      result.series[name] = read<double>("/series/" + name);
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", name_, what)); }

  template <class T>
  const T& attribute(const std::string& name) const {
    const auto found = attributes_.find(name);
    const T* value = found == attributes_.end() ? nullptr : std::get_if<T>(&found->second);
    if (value == nullptr) fail(fmt::format("attribute {} is missing or of a wrong type", name));
    return *value;
  }
  std::string text(const std::string& name) const { return attribute<std::string>(name); }
  double number(const std::string& name) const { return attribute<double>(name); }
  int whole(const std::string& name, int low, int high) const {
    const double value = number(name);
    if (!(value >= low && value <= high && value == std::floor(value)))
      fail(fmt::format("{} is {}; a whole number from {} to {} is needed", name, value, low, high));
    return static_cast<int>(value);
  }

  template <class T>
  std::vector<T> read(const std::string& dataset) const {
    std::vector<T> values = file_.read<T>(dataset);
    const hdf5::Attributes attributes = file_.attributes(dataset);
    const auto stored = attributes.find("xxh3");
    if (stored == attributes.end() || stored->second != hdf5::Attribute(checksum(values)))
      fail(fmt::format("{} is damaged: its checksum is another", dataset));
    return values;
  }
  NodalData nodal(const std::string& group, const Checkpoint& checkpoint) const {
    NodalData data;
    const hdf5::Shape shape = file_.shape(group + "/values"), elements = file_.shape(group + "/elements");
    const auto nodes = static_cast<std::size_t>(nodes_of(checkpoint.type, checkpoint.order));
    if (shape.size() != 3 || elements.size() != 1 || shape[0] != elements[0] || shape[1] != nodes || shape[2] > 1000)
      fail(fmt::format("{} has values of shape {} for {} elements of {} nodes", group, shape, elements, nodes));
    data.components = static_cast<int>(shape[2]);
    data.elements = read<std::uint64_t>(group + "/elements");
    if (file_.element(group + "/values") == hdf5::Element::float32)
      data.values = read<float>(group + "/values");
    else
      data.values = read<double>(group + "/values");
    return data;
  }

  std::string name_;
  hdf5::File file_;
  hdf5::Attributes attributes_;
};

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  AsideFile aside(file);
  Writer(aside.path(), file).run(checkpoint);
  aside.commit();
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  return Reader(file).run();
}

void require_same_problem(const Checkpoint& checkpoint, const std::string& name, const std::string& system,
                          std::span<const std::string> fields, const Mesh& mesh) {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("{}: {}", name, what)); };
  if (checkpoint.system != system)
    fail(fmt::format("the state of system \"{}\"; the case solves \"{}\"", checkpoint.system, system));
  if (!std::equal(fields.begin(), fields.end(), checkpoint.fields.begin(), checkpoint.fields.end()))
    fail(fmt::format("the state of fields {}; the case has {}", fmt::join(checkpoint.fields, ", "),
                     fmt::join(fields, ", ")));
  if (checkpoint.type != mesh.type)
    fail(fmt::format("the state of {} elements; the mesh has {} elements", name_of(checkpoint.type),
                     name_of(mesh.type)));
  std::vector<std::uint64_t> stored = checkpoint.state.elements, own = element_keys(mesh), common;
  std::sort(stored.begin(), stored.end());
  std::sort(own.begin(), own.end());
  std::set_intersection(stored.begin(), stored.end(), own.begin(), own.end(), std::back_inserter(common));
  if (common.size() != own.size() || common.size() != stored.size())
    fail(fmt::format("the state of another mesh: of its {} elements {} are among the {} of this one", stored.size(),
                     common.size(), own.size()));
}

template <class T>
std::vector<T> restored(const NodalData& data, ElementType type, int stored_order, int order,
                        std::span<const std::uint64_t> keys) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::unordered_map<std::uint64_t, std::size_t> place;
  place.reserve(data.elements.size());
  for (std::size_t e = 0; e < data.elements.size(); ++e) place.emplace(data.elements[e], e);

  Eigen::MatrixXd transform;  // to the nodes of the new order
  if (order != stored_order) {
    const ReferenceElement from(type, stored_order), to(type, order);
    if (order > stored_order) {
      transform = from.interpolation(to.nodes());
    } else {
      // Which coefficients the lower order shares, [higher, lower]: zeros and ones but for rounding.
      const Eigen::MatrixXd shared = (from.inverse_vandermonde() * simplex_basis(order, from.nodes())).array().round();
      transform = to.vandermonde() * shared.transpose() * from.inverse_vandermonde();
    }
  }
  const auto from_nodes = static_cast<std::size_t>(nodes_of(type, stored_order)),
             nodes = static_cast<std::size_t>(nodes_of(type, order)),
             components = static_cast<std::size_t>(data.components);
  std::vector<T> result(keys.size() * nodes * components);
  std::visit(
      [&]<class S>(const std::vector<S>& values) {
        for (std::size_t e = 0; e < keys.size(); ++e) {
          const auto found = place.find(keys[e]);
          if (found == place.end()) throw InputError(fmt::format("element {} has no data in the checkpoint", e));
          const S* from = values.data() + found->second * from_nodes * components;
          T* to = result.data() + e * nodes * components;
          if (order == stored_order) {
            std::transform(from, from + nodes * components, to, [](S value) { return static_cast<T>(value); });
            continue;
          }
          Rows at(static_cast<Eigen::Index>(from_nodes), static_cast<Eigen::Index>(components));
          std::copy(from, from + from_nodes * components, at.data());
          const Rows moved = transform * at;
          std::transform(moved.data(), moved.data() + moved.size(), to,
                         [](double value) { return static_cast<T>(value); });
        }
      },
      data.values);
  return result;
}

template std::vector<float> restored(const NodalData&, ElementType, int, int, std::span<const std::uint64_t>);
template std::vector<double> restored(const NodalData&, ElementType, int, int, std::span<const std::uint64_t>);

}  // namespace rtcg::dgfem
