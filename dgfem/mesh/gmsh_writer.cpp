#include "dgfem/mesh/gmsh_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dgfem/mesh/gmsh_elements.h"
#include "dgfem/mesh/node_orders.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::dgfem {

namespace {

class Writer {
 public:
  Writer(const Mesh& mesh, bool binary) : mesh_(mesh), binary_(binary), dimension_(mesh.dimension()) {}

  std::string run() {
    out_ += fmt::format("$MeshFormat\n4.1 {} 8\n", binary_ ? 1 : 0);
    if (binary_) {
      integers({1});
      out_ += '\n';
    }
    out_ += "$EndMeshFormat\n";
    names();
    entities();
    nodes();
    elements();
    if (!mesh_.periodic.empty()) periodic();
    return std::move(out_);
  }

 private:
  // Fields: one line of them is one call in text, and its bytes in binary.
  template <class T>
  void bytes(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T, class Values>
  void put(const Values& values) {
    for (const auto& value : values) {
      if (binary_) {
        bytes(static_cast<T>(value));
      } else {
        fmt::format_to(std::back_inserter(out_), "{} ", value);
      }
    }
  }
  void integers(std::initializer_list<std::int64_t> values) { put<std::int32_t>(values); }
  void larges(std::initializer_list<std::size_t> values) { put<std::uint64_t>(values); }
  void reals(const Point& values) { put<double>(values); }
  void end_line() {
    if (!binary_) out_.back() = '\n';
  }
  void section(const char* name) { out_ += fmt::format("${}\n", name); }
  void end_section(const char* name) { out_ += fmt::format("{}$End{}\n", binary_ ? "\n" : "", name); }

  /// Every name is a physical group of its own, so that faces in several groups stay in them.
  void names() {
    collect(dimension_ - 1, mesh_.boundaries);
    collect(dimension_, mesh_.regions);
    section("PhysicalNames");
    out_ += fmt::format("{}\n", numbers_.size());
    for (const auto& [key, number] : numbers_) out_ += fmt::format("{} {} \"{}\"\n", key.first, number, key.second);
    out_ += "$EndPhysicalNames\n";
  }
  void collect(int dimension, const std::vector<Group>& groups) {
    for (const Group& group : groups)
      for (const std::string& name : group.names)
        numbers_.try_emplace({dimension, name}, static_cast<std::int64_t>(numbers_.size()) + 1);
  }

  /// One entity for each region and each boundary.
  void entities() {
    section("Entities");
    larges({0, dimension_ == 2 ? mesh_.boundaries.size() : 0,
            dimension_ == 2 ? mesh_.regions.size() : mesh_.boundaries.size(),
            dimension_ == 3 ? mesh_.regions.size() : 0});
    end_line();
    const auto [low, high] = mesh_.bounding_box();
    const auto write = [&, &lower = low, &upper = high](int dimension, const std::vector<Group>& groups) {
      for (std::size_t k = 0; k < groups.size(); ++k) {
        integers({static_cast<std::int64_t>(k) + 1});
        reals(lower);
        reals(upper);
        larges({groups[k].names.size()});
        for (const std::string& name : groups[k].names) integers({numbers_.at({dimension, name})});
        larges({0});
        end_line();
      }
    };
    write(dimension_ - 1, mesh_.boundaries);
    write(dimension_, mesh_.regions);
    end_section("Entities");
  }

  void nodes() {
    const std::size_t count = mesh_.points.size();
    section("Nodes");
    larges({1, count, 1, count});
    end_line();
    integers({dimension_, 1, 0});
    larges({count});
    end_line();
    for (std::size_t p = 1; p <= count; ++p) {
      larges({p});
      end_line();
    }
    for (const Point& point : mesh_.points) {
      reals(point);
      end_line();
    }
    end_section("Nodes");
  }

  void elements() {
    section("Elements");
    const auto by_boundary = members(mesh_.boundary_of, mesh_.boundaries.size()),
               by_region = members(mesh_.region_of, mesh_.regions.size());
    const std::size_t total = mesh_.boundary_of.size() + mesh_.size();
    larges({by_boundary.size() + by_region.size(), total, 1, total});
    end_line();
    std::size_t number = 0;
    const auto blocks = [&](const std::vector<std::vector<std::size_t>>& lists, int dimension, int order,
                            const auto& nodes_of_member) {
      const std::vector<int> places = gmsh_order(dimension, order);
      for (std::size_t k = 0; k < lists.size(); ++k) {
        integers({dimension, static_cast<std::int64_t>(k) + 1, gmsh_type(dimension, order)});
        larges({lists[k].size()});
        end_line();
        for (const std::size_t member : lists[k]) {
          const std::int32_t* list = nodes_of_member(member);
          larges({++number});
          for (const int place : places) larges({static_cast<std::size_t>(list[place]) + 1});
          end_line();
        }
      }
    };
    // Faces keep their vertices only: their elements know how they are curved.
    blocks(by_boundary, dimension_ - 1, 1,
           [&](std::size_t face) { return mesh_.tagged_faces.data() + face * static_cast<std::size_t>(dimension_); });
    blocks(by_region, dimension_, mesh_.geometry_order, [&](std::size_t e) { return mesh_.nodes(e); });
    end_section("Elements");
  }
  static std::vector<std::vector<std::size_t>> members(const std::vector<std::int32_t>& group_of, std::size_t groups) {
    std::vector<std::vector<std::size_t>> lists(groups);
    for (std::size_t k = 0; k < group_of.size(); ++k) lists[static_cast<std::size_t>(group_of[k])].push_back(k);
    return lists;
  }

  void periodic() {
    section("Periodic");
    larges({mesh_.periodic.size()});
    end_line();
    for (std::size_t k = 0; k < mesh_.periodic.size(); ++k) {
      const auto& pairs = mesh_.periodic[k].vertices;
      const auto [here, there] = linked_boundaries(k);
      integers({dimension_ - 1, here, there});
      end_line();
      larges({0});
      end_line();
      larges({pairs.size()});
      end_line();
      for (const auto& [a, b] : pairs) {
        larges({static_cast<std::size_t>(a) + 1, static_cast<std::size_t>(b) + 1});
        end_line();
      }
    }
    end_section("Periodic");
  }
  /// The entities of the first named faces that lie wholly on each side of a link; 1 where there are none.
  std::pair<std::int64_t, std::int64_t> linked_boundaries(std::size_t link) const {
    std::vector<char> side(mesh_.points.size(), 0);
    for (const auto& [a, b] : mesh_.periodic[link].vertices) {
      side[static_cast<std::size_t>(a)] |= 1;
      side[static_cast<std::size_t>(b)] |= 2;
    }
    std::pair<std::int64_t, std::int64_t> entities{0, 0};
    for (std::size_t f = 0; f < mesh_.boundary_of.size(); ++f) {
      int common = 3;
      for (std::size_t v = 0; v < static_cast<std::size_t>(dimension_); ++v)
        common &= side[static_cast<std::size_t>(mesh_.tagged_faces[f * static_cast<std::size_t>(dimension_) + v])];
      if ((common & 1) != 0 && entities.first == 0) entities.first = mesh_.boundary_of[f] + 1;
      if ((common & 2) != 0 && entities.second == 0) entities.second = mesh_.boundary_of[f] + 1;
    }
    return {std::max<std::int64_t>(entities.first, 1), std::max<std::int64_t>(entities.second, 1)};
  }

  const Mesh& mesh_;
  bool binary_;
  int dimension_;
  std::map<std::pair<int, std::string>, std::int64_t> numbers_;
  std::string out_;
};

}  // namespace

std::string gmsh_text(const Mesh& mesh, bool binary) {
  return Writer(mesh, binary).run();
}

void write_gmsh(const std::filesystem::path& file, const Mesh& mesh, bool binary) {
  write_file(file, gmsh_text(mesh, binary));
}

}  // namespace rtcg::dgfem
