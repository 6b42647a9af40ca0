#include "dgfem/mesh/gambit_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "dgfem/mesh/mesh_scanner.h"
#include "dgfem/mesh/tag_index.h"

namespace rtcg::dgfem {

namespace {

std::optional<std::int64_t> whole(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) result.push_back(word);
  return result;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : scanner_(text, name) { mesh_.source = name; }

  RawMesh read() {
    read_header();
    std::string_view line;
    while (scanner_.next_line(line)) {
      if (line.empty()) continue;
      if (line.find("NODAL COORDINATES") != std::string_view::npos) {
        read_nodes();
      } else if (line.find("ELEMENTS/CELLS") != std::string_view::npos) {
        read_elements();
      } else if (line.find("ELEMENT GROUP") != std::string_view::npos) {
        read_group();
      } else if (line.find("BOUNDARY CONDITIONS") != std::string_view::npos) {
        read_boundary();
      } else {
        skip_section(line);
      }
    }
    if (elements_.empty()) scanner_.fail("the file ends without ELEMENTS/CELLS");
    return filled();
  }

 private:
  struct Element {
    std::array<std::int32_t, 4> nodes;
    std::int32_t region;  // of regions_, -1: none
  };
  struct Side {
    std::size_t element;
    int face;
    std::int64_t boundary;
  };

  /// The numbers stand below NUMNP. Where an editor has spoiled that line, they are the last line of numbers.
  void read_header() {
    std::vector<std::int64_t> counts;
    bool gambit = false;
    for (std::string_view line = scanner_.line("the header"); !ends(line); line = scanner_.line("the header")) {
      gambit |= line.find("CONTROL INFO") != std::string_view::npos || line.find("GAMBIT") != std::string_view::npos;
      std::vector<std::int64_t> numbers;
      for (const std::string_view word : words(line))
        if (const auto number = whole(word))
          numbers.push_back(*number);
        else
          numbers.clear();
      if (numbers.size() >= 5 && numbers.size() <= 6) counts = std::move(numbers);
    }
    if (!gambit) scanner_.fail("a Gambit neutral file begins with CONTROL INFO");
    if (counts.empty()) scanner_.fail("the header has no line of NUMNP NELEM NGRPS NBSETS NDFCD NDFVL");
    if (counts[0] < 0 || counts[1] < 0 || (counts[4] != 2 && counts[4] != 3))
      scanner_.fail(
          fmt::format("{} nodes and {} elements in {} dimensions make no mesh", counts[0], counts[1], counts[4]));
    dimension_ = static_cast<int>(counts[4]);
    scanner_.check_count(static_cast<std::uint64_t>(counts[0]), "NUMNP", 5);
    scanner_.check_count(static_cast<std::uint64_t>(counts[1]), "NELEM", 5);
    node_count_ = static_cast<std::size_t>(counts[0]);
    element_count_ = static_cast<std::size_t>(counts[1]);
  }
  static bool ends(std::string_view line) { return line.starts_with("ENDOFSECTION"); }

  void skip_section(std::string_view title) {
    const std::size_t position = scanner_.position();
    std::string_view line;
    do {
      if (!scanner_.next_line(line))
        scanner_.fail_at(position, fmt::format("a section of {} characters has no ENDOFSECTION", title.size()));
    } while (!ends(line));
  }
  void end_section() {
    const std::string_view word = scanner_.word("ENDOFSECTION");
    if (word != "ENDOFSECTION") scanner_.fail("ENDOFSECTION should stand here: is the header's count right?");
  }

  void read_nodes() {
    const std::size_t position = scanner_.position();
    std::vector<std::int64_t> tags(node_count_);
    mesh_.points.resize(node_count_);
    for (std::size_t k = 0; k < node_count_; ++k) {
      tags[k] = scanner_.integer("a node's number");
      for (int d = 0; d < dimension_; ++d) mesh_.points[k][static_cast<unsigned>(d)] = scanner_.real("a coordinate");
    }
    end_section();
    if (const std::int64_t again = points_.assign(tags); again >= 0)
      scanner_.fail_at(position, fmt::format("node {} is given twice", tags[static_cast<std::size_t>(again)]));
  }

  void read_elements() {
    const std::size_t position = scanner_.position();
    constexpr int triangle = 3, tetrahedron = 6;
    std::vector<std::int64_t> tags(element_count_);
    elements_.resize(element_count_);
    for (std::size_t k = 0; k < element_count_; ++k) {
      tags[k] = scanner_.integer("an element's number");
      const std::int64_t type = scanner_.integer("an element's type"), count = scanner_.integer("a number of nodes");
      const int expected = dimension_ == 2 ? triangle : tetrahedron;
      if (type != expected || count != dimension_ + 1)
        scanner_.fail(fmt::format("an element of type {} with {} nodes; in {} dimensions only type {} with {} is read",
                                  type, count, dimension_, expected, dimension_ + 1));
      elements_[k].nodes.fill(-1);
      elements_[k].region = -1;
      for (int v = 0; v <= dimension_; ++v) {
        const std::int64_t tag = scanner_.integer("a node");
        const std::int32_t point = points_.find(tag);
        if (point < 0) scanner_.fail(fmt::format("there is no node {}", tag));
        elements_[k].nodes[static_cast<unsigned>(v)] = point;
      }
    }
    end_section();
    if (const std::int64_t again = element_tags_.assign(tags); again >= 0)
      scanner_.fail_at(position, fmt::format("element {} is given twice", tags[static_cast<std::size_t>(again)]));
  }

  std::size_t element(std::int64_t tag) const {
    const std::int32_t index = element_tags_.find(tag);
    if (index < 0) scanner_.fail(fmt::format("there is no element {}", tag));
    return static_cast<std::size_t>(index);
  }

  void read_group() {
    const std::vector<std::string_view> header = words(scanner_.line("a group's header"));
    std::optional<std::int64_t> count;
    for (std::size_t k = 0; k + 1 < header.size(); ++k)
      if (header[k] == "ELEMENTS:") count = whole(header[k + 1]);
    if (!count || *count < 0) scanner_.fail("a group's header should hold \"ELEMENTS: \" and their number");
    scanner_.check_count(static_cast<std::uint64_t>(*count), "the number of elements of a group", 2);
    std::string name(scanner_.line("a group's name"));
    const auto region = static_cast<std::int32_t>(++regions_);
    mesh_.groups.name(dimension_, region, name.empty() ? fmt::format("{}", region) : std::move(name));
    // Flags come first, but their number in the header is not to be trusted: the elements are the last so many.
    const std::size_t start = scanner_.position();
    std::vector<std::int64_t> numbers;
    for (;;) {
      const std::string_view word = scanner_.word("ENDOFSECTION");
      if (word == "ENDOFSECTION") break;
      const auto number = whole(word);
      if (!number) scanner_.fail("an element's number should be a whole number");
      numbers.push_back(*number);
    }
    const auto members = static_cast<std::size_t>(*count);
    if (numbers.size() < members)
      scanner_.fail_at(start, fmt::format("{} elements are promised, {} numbers are there", members, numbers.size()));
    for (std::size_t k = numbers.size() - members; k < numbers.size(); ++k) {
      const std::int32_t index = element_tags_.find(numbers[k]);
      if (index < 0) scanner_.fail_at(start, fmt::format("the group holds element {}, which there is not", numbers[k]));
      elements_[static_cast<std::size_t>(index)].region = region;
    }
  }

  /// "NAME ITYPE NENTRY NVALUES IBCODE": the name may hold blanks and end anywhere, so the numbers are the last four.
  void read_boundary() {
    std::string_view line = scanner_.line("a boundary's header");
    const std::vector<std::string_view> header = words(line);
    std::array<std::int64_t, 4> numbers{};
    bool right = header.size() >= 4;
    for (std::size_t k = 0; right && k < 4; ++k) {
      const auto number = whole(header[header.size() - 4 + k]);
      right = number.has_value();
      numbers[k] = number.value_or(0);
    }
    if (!right) scanner_.fail("a boundary's header should end in four numbers: ITYPE NENTRY NVALUES IBCODE");
    std::string name;
    for (std::size_t k = 0; k + 4 < header.size(); ++k) name += (k == 0 ? "" : " ") + std::string(header[k]);
    if (numbers[0] != 1) scanner_.fail("a boundary given by nodes (ITYPE 0); only element sides (ITYPE 1) are read");
    if (numbers[1] < 0 || numbers[2] < 0) scanner_.fail("NENTRY and NVALUES should not be negative");
    scanner_.check_count(static_cast<std::uint64_t>(numbers[1]), "NENTRY", 6);
    scanner_.check_count(static_cast<std::uint64_t>(numbers[2]), "NVALUES", 2);
    const std::int64_t boundary = ++boundaries_;
    mesh_.groups.name(dimension_ - 1, boundary, name.empty() ? fmt::format("{}", boundary) : name);
    for (std::int64_t k = 0; k < numbers[1]; ++k) {
      const std::size_t of = element(scanner_.integer("an element's number"));
      scanner_.integer("an element's type");
      const std::int64_t face = scanner_.integer("a face");
      if (face < 1 || face > dimension_ + 1)
        scanner_.fail(fmt::format("face {} of an element that has {}", face, dimension_ + 1));
      for (std::int64_t v = 0; v < numbers[2]; ++v) scanner_.real("a boundary value");
      sides_.push_back({of, static_cast<int>(face - 1), boundary});
    }
    end_section();
  }

  RawMesh filled() {
    RawElements &volume = mesh_.elements[{dimension_, 1}], &faces = mesh_.elements[{dimension_ - 1, 1}];
    const std::size_t corners = static_cast<std::size_t>(dimension_) + 1;
    for (const Element& element : elements_) {
      volume.nodes.insert(volume.nodes.end(), element.nodes.begin(),
                          element.nodes.begin() + static_cast<std::ptrdiff_t>(corners));
      volume.groups.push_back(mesh_.groups.intern(dimension_, {std::max(element.region, 0)}));
    }
    const ElementType type = dimension_ == 2 ? ElementType::triangle : ElementType::tetrahedron;
    // Gambit numbers the faces of both shapes as element_type.h does.
    for (const Side& side : sides_) {
      const std::array<int, 3> vertices = face_vertices(type, side.face);
      for (unsigned v = 0; v < static_cast<unsigned>(dimension_); ++v)
        faces.nodes.push_back(elements_[side.element].nodes[static_cast<unsigned>(vertices[v])]);
      faces.groups.push_back(mesh_.groups.intern(dimension_ - 1, {side.boundary}));
    }
    return std::move(mesh_);
  }

  MeshScanner scanner_;
  RawMesh mesh_;
  int dimension_ = 0;
  std::size_t node_count_ = 0, element_count_ = 0;
  TagIndex points_, element_tags_;
  std::vector<Element> elements_;
  std::vector<Side> sides_;
  std::int64_t regions_ = 0, boundaries_ = 0;
};

}  // namespace

RawMesh read_gambit(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace rtcg::dgfem
