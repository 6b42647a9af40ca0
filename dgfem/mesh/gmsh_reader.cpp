#include "dgfem/mesh/gmsh_reader.h"

#include <fmt/format.h>

#include <limits>

#include "dgfem/mesh/gmsh_sections.h"
#include "dgfem/mesh/node_orders.h"

namespace rtcg::dgfem {

std::int32_t GmshState::point(std::int64_t tag) const {
  const std::int32_t index = points.find(tag);
  if (index < 0) scanner.fail(fmt::format("there is no node {}", tag));
  return index;
}

void GmshState::index_points(const std::vector<std::int64_t>& tags, std::size_t position) {
  if (tags.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    scanner.fail_at(position, fmt::format("{} nodes are more than the {} that fit", tags.size(),
                                          std::numeric_limits<std::int32_t>::max()));
  const std::int64_t again = points.assign(tags);
  if (again >= 0)
    scanner.fail_at(position, fmt::format("node {} is given twice", tags[static_cast<std::size_t>(again)]));
  nodes_read = true;
}

GmshElement GmshState::element(std::int64_t type) const {
  const auto element = type > 0 && type < 1000 ? gmsh_element(static_cast<int>(type)) : std::nullopt;
  if (!element)
    scanner.fail(fmt::format("element type {} is not known (triangles and tetrahedra up to order 10 are)", type));
  return *element;
}

GmshElementSink::GmshElementSink(GmshState& state, std::int64_t type, std::size_t position)
    : state_(state), element_(state.element(type)) {
  const int dimension = element_.dimension;
  if (element_.order == 0) {
    auto& foreign = state.foreign[static_cast<std::size_t>(dimension)];
    if (!foreign) foreign = {position, element_.name};
    return;
  }
  target_ = &state.mesh.elements[{dimension, element_.order}];
  order_ = gmsh_order(dimension, element_.order);
  buffer_.resize(order_.size());
}

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : scanner_(text, name) { state_.mesh.source = name; }

  RawMesh read() {
    std::string_view line;
    while (scanner_.next_line(line)) {
      if (line.empty()) continue;
      if (line.front() != '$')
        scanner_.fail(state_.version == 0 ? "a Gmsh mesh begins with $MeshFormat"
                                          : fmt::format("a section should begin here, not \"{}\"", printable(line)));
      const std::string section(line.substr(1));
      if (state_.version == 0 && section != "MeshFormat" && section != "Comments")
        scanner_.fail(section == "NOD" ? "Gmsh's format 1 is not read; write 2.2 or 4.1"
                                       : fmt::format("${} comes before $MeshFormat", printable(section)));
      read_section(section);
    }
    if (!state_.elements_read) scanner_.fail("the file ends without $Elements");
    check_shapes();
    return std::move(state_.mesh);
  }

 private:
  void read_section(const std::string& section) {
    const bool four = state_.version >= 4;
    bool binary = state_.fields.is_binary();
    if (section == "MeshFormat") {
      read_format();
      binary = false;  // its end is text, and found as such
    } else if (section == "PhysicalNames") {
      read_names();
      binary = false;
    } else if (section == "Entities" && four) {
      read_gmsh4_entities(enter(), false);
    } else if (section == "PartitionedEntities" && four) {
      read_gmsh4_entities(enter(), true);
    } else if (section == "Nodes") {
      once(state_.nodes_read, section);
      four ? read_gmsh4_nodes(enter()) : read_gmsh2_nodes(state_);
    } else if (section == "Elements") {
      once(state_.elements_read, section);
      if (!state_.nodes_read) scanner_.fail("$Elements comes before $Nodes");
      four ? read_gmsh4_elements(enter()) : read_gmsh2_elements(state_);
      state_.elements_read = true;
    } else if (section == "Periodic") {
      if (!state_.nodes_read) scanner_.fail("$Periodic comes before $Nodes");
      four ? read_gmsh4_periodic(enter()) : read_gmsh2_periodic(state_);
    } else {
      if (!scanner_.skip_past("$End" + section)) scanner_.fail(fmt::format("${} has no end", printable(section)));
      return;
    }
    scanner_.binary(false);
    const std::size_t end = scanner_.position();
    if (scanner_.word("the end of a section") != "$End" + section) {
      scanner_.binary(binary);
      scanner_.fail_at(end, fmt::format("$End{} should stand here", section));
    }
  }
  GmshState& enter() {
    scanner_.binary(state_.fields.is_binary());
    return state_;
  }
  void once(bool read, const std::string& section) const {
    if (read) scanner_.fail(fmt::format("there is a second ${}", section));
  }
  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

  void read_format() {
    state_.version = scanner_.real("the version");
    const bool known = (state_.version >= 2 && state_.version < 3) || (state_.version >= 4 && state_.version < 4.15);
    if (!known)
      scanner_.fail(fmt::format("version {} of Gmsh's format is not read; 2.2, 4.0 and 4.1 are", state_.version));
    const std::int64_t type = scanner_.integer("the file type"), size = scanner_.integer("the size of a number");
    if (type != 0 && type != 1) scanner_.fail(fmt::format("the file type is 0 (text) or 1 (binary), not {}", type));
    if (size != 8) scanner_.fail(fmt::format("numbers of {} bytes are not read; 8 are", size));
    state_.fields.binary(type == 1);
    if (type == 0) return;
    scanner_.line("the end of the line");
    constexpr std::int32_t one = 1, swapped = 0x01000000;
    const auto order = scanner_.raw<std::int32_t>("the number that tells the byte order");
    if (order != one && order != swapped) scanner_.fail("the number that tells the byte order is not 1 in either");
    scanner_.swap_bytes(order == swapped);
  }

  void read_names() {
    const std::size_t count = scanner_.count("the number of names", 5);
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t dimension = scanner_.integer("the dimension of a physical group"),
                         number = scanner_.integer("the number of a physical group");
      std::string_view name = scanner_.line("the name of a physical group");
      const std::size_t first = name.find('"'), last = name.rfind('"');
      if (first == std::string_view::npos || last == first)
        scanner_.fail("the name of a physical group should stand in quotes");
      name = name.substr(first + 1, last - first - 1);
      while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
      if (dimension >= 0 && dimension <= 3)
        state_.mesh.groups.name(static_cast<int>(dimension), number, std::string(name));
    }
  }

  /// Other shapes may lie about below the mesh's dimension, but they cannot be part of it or of its boundary.
  void check_shapes() const {
    int dimension = 0;
    for (int d = 1; d <= 3; ++d) {
      bool here = state_.foreign[static_cast<std::size_t>(d)].has_value();
      for (const auto& [key, elements] : state_.mesh.elements) here |= key.first == d && !elements.groups.empty();
      if (here) dimension = d;
    }
    for (int d = dimension; d >= std::max(dimension - 1, 1); --d)
      if (const auto& foreign = state_.foreign[static_cast<std::size_t>(d)]; foreign && dimension > 1)
        scanner_.fail_at(foreign->position,
                         fmt::format("a {}; only complete triangles and tetrahedra are read", foreign->name));
  }

  MeshScanner scanner_;
  GmshState state_{scanner_};
};

}  // namespace

RawMesh read_gmsh(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace rtcg::dgfem
