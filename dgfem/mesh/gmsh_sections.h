// The parts that gmsh_reader.cpp is made of: what is known while a file is read, and a function for each section.
#pragma once

#include <map>
#include <optional>

#include "dgfem/mesh/gmsh_elements.h"
#include "dgfem/mesh/gmsh_fields.h"
#include "dgfem/mesh/raw_mesh.h"
#include "dgfem/mesh/tag_index.h"

namespace rtcg::dgfem {

struct GmshState {
  MeshScanner& scanner;
  GmshFields fields{scanner};
  RawMesh mesh{};
  double version = 0;
  bool nodes_read = false, elements_read = false;
  TagIndex points{};
  /// 4.x: group of each entity by dimension and tag.
  std::map<std::pair<int, std::int64_t>, std::int32_t> entity_groups{};
  /// The first element of another shape in each dimension: where it stands and what it is.
  struct Foreign {
    std::size_t position;
    const char* name;
  };
  std::array<std::optional<Foreign>, 4> foreign{};

  /// Index of a point; fails at the current token.
  std::int32_t point(std::int64_t tag) const;
  /// Files the tags read; fails where one has come before.
  void index_points(const std::vector<std::int64_t>& tags, std::size_t position);
  /// What a type number means; fails for unknown ones.
  GmshElement element(std::int64_t type) const;
};

/// Reads elements of one type: sorts their nodes into lattice order and files them, or notes that they are foreign.
class GmshElementSink {
 public:
  GmshElementSink(GmshState& state, std::int64_t type, std::size_t position);
  std::size_t nodes() const { return static_cast<std::size_t>(element_.nodes); }
  int dimension() const { return element_.dimension; }
  /// `next` gives the tag of each node in the file's order.
  template <class Next>
  void add(std::int32_t group, const Next& next) {
    for (std::size_t n = 0; n < nodes(); ++n) {
      const std::int32_t point = state_.point(next());
      if (target_ != nullptr) buffer_[static_cast<std::size_t>(order_[n])] = point;
    }
    if (target_ == nullptr) return;
    target_->nodes.insert(target_->nodes.end(), buffer_.begin(), buffer_.end());
    target_->groups.push_back(group);
  }

 private:
  GmshState& state_;
  GmshElement element_;
  RawElements* target_ = nullptr;
  std::vector<int> order_;
  std::vector<std::int32_t> buffer_;
};

void read_gmsh2_nodes(GmshState& state);
void read_gmsh2_elements(GmshState& state);
void read_gmsh2_periodic(GmshState& state);
void read_gmsh4_entities(GmshState& state, bool partitioned);
void read_gmsh4_nodes(GmshState& state);
void read_gmsh4_elements(GmshState& state);
void read_gmsh4_periodic(GmshState& state);

}  // namespace rtcg::dgfem
