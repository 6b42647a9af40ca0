#include <fmt/format.h>

#include <limits>

#include "dgfem/mesh/gmsh_sections.h"

namespace rtcg::dgfem {

namespace {

bool is_4_0(const GmshState& state) {
  return state.version < 4.05;
}

int checked_dimension(const GmshState& state, std::int64_t dimension) {
  if (dimension < 0 || dimension > 3)
    state.scanner.fail(fmt::format("the dimension of an entity is 0 to 3, not {}", dimension));
  return static_cast<int>(dimension);
}

/// Tags of nodes and elements became size_t with 4.1.
std::int64_t tag(GmshState& state, const char* what) {
  return is_4_0(state) ? state.fields.integer(what) : state.fields.large(what);
}

/// The header of a block of nodes or elements; its third number is the block's own.
struct Block {
  int dimension;
  std::int64_t entity, third;
};
Block block_header(GmshState& state, const char* third) {
  const std::int64_t first = state.fields.integer("a block's entity"),
                     second = state.fields.integer("a block's entity");
  const bool tag_first = is_4_0(state);
  const int dimension = checked_dimension(state, tag_first ? second : first);
  return {dimension, tag_first ? first : second, state.fields.integer(third)};
}

void read_entity(GmshState& state, int dimension, bool partitioned) {
  GmshFields& fields = state.fields;
  const std::int64_t entity = fields.integer("an entity's tag");
  bool interface = false;
  if (partitioned) {
    // What has a parent of higher dimension lies between partitions; the group that Gmsh gives it is no boundary.
    interface = fields.integer("the parent's dimension") > dimension;
    fields.integer("the parent's tag");
    // 4.0 counts partitions in an int, 4.1 in a size_t.
    const std::int64_t partitions =
        is_4_0(state) ? fields.integer("the number of partitions") : fields.large("the number of partitions");
    if (partitions < 0) state.scanner.fail("the number of partitions should not be negative");
    state.scanner.check_count(static_cast<std::uint64_t>(partitions), "the number of partitions", 2);
    fields.skip_integers(static_cast<std::size_t>(partitions), "a partition");
  }
  fields.skip_reals(dimension == 0 && !is_4_0(state) ? 3 : 6, "an entity's extent");
  std::vector<std::int64_t> numbers(fields.count("the number of physical groups", 2, 4));
  for (std::int64_t& number : numbers) number = fields.integer("a physical group");
  if (interface) numbers.clear();
  if (dimension > 0) fields.skip_integers(fields.count("the number of bounding entities", 2, 4), "a bounding entity");
  state.entity_groups[{dimension, entity}] = state.mesh.groups.intern(dimension, std::move(numbers));
}

}  // namespace

void read_gmsh4_entities(GmshState& state, bool partitioned) {
  GmshFields& fields = state.fields;
  if (partitioned) {
    fields.large("the number of partitions");
    fields.skip_integers(2 * fields.count("the number of ghost entities", 4, 8), "a ghost entity");
  }
  std::array<std::size_t, 4> counts{};
  for (std::size_t& count : counts) count = fields.count("the number of entities", 8, 24);
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::size_t k = 0; k < counts[static_cast<unsigned>(dimension)]; ++k)
      read_entity(state, dimension, partitioned);
}

void read_gmsh4_nodes(GmshState& state) {
  GmshFields& fields = state.fields;
  const std::size_t position = state.scanner.position(), blocks = fields.count("the number of blocks", 4, 16),
                    count = fields.count("the number of nodes", 8, 24);
  if (!is_4_0(state)) {
    fields.large("the smallest node tag");
    fields.large("the largest node tag");
  }
  std::vector<std::int64_t> tags;
  tags.reserve(count);
  state.mesh.points.reserve(count);
  const auto coordinates = [&](const Block& block) {
    Point& point = state.mesh.points.emplace_back();
    for (double& x : point) x = fields.real("a coordinate");
    if (block.third != 0) fields.skip_reals(static_cast<std::size_t>(block.dimension), "a parametric coordinate");
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    const Block block = block_header(state, "whether a block is parametric");
    const std::size_t size = fields.count("the number of nodes of a block", 8, 24);
    if (is_4_0(state)) {
      for (std::size_t k = 0; k < size; ++k) {
        tags.push_back(fields.integer("a node's tag"));
        coordinates(block);
      }
    } else {
      for (std::size_t k = 0; k < size; ++k) tags.push_back(fields.large("a node's tag"));
      for (std::size_t k = 0; k < size; ++k) coordinates(block);
    }
  }
  if (tags.size() != count)
    state.scanner.fail_at(position, fmt::format("{} nodes are promised, {} are there", count, tags.size()));
  state.index_points(tags, position);
}

void read_gmsh4_elements(GmshState& state) {
  GmshFields& fields = state.fields;
  const std::size_t position = state.scanner.position(), blocks = fields.count("the number of blocks", 4, 16),
                    count = fields.count("the number of elements", 4, 8);
  if (!is_4_0(state)) {
    fields.large("the smallest element tag");
    fields.large("the largest element tag");
  }
  std::size_t read = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t start = state.scanner.position();
    const Block block = block_header(state, "an element's type");
    GmshElementSink sink(state, block.third, start);
    const std::size_t size = fields.count("the number of elements of a block", 4, 8);
    if (sink.dimension() != block.dimension)
      state.scanner.fail_at(start, fmt::format("elements of dimension {} on an entity of dimension {}",
                                               sink.dimension(), block.dimension));
    const auto known = state.entity_groups.find({block.dimension, block.entity});
    const std::int32_t group =
        known == state.entity_groups.end() ? state.mesh.groups.intern(block.dimension, {}) : known->second;
    for (std::size_t k = 0; k < size; ++k) {
      tag(state, "an element's tag");
      sink.add(group, [&] { return tag(state, "a node"); });
    }
    read += size;
  }
  if (read != count)
    state.scanner.fail_at(position, fmt::format("{} elements are promised, {} are there", count, read));
}

void read_gmsh4_periodic(GmshState& state) {
  GmshFields& fields = state.fields;
  MeshScanner& scanner = state.scanner;
  const std::size_t links = fields.count("the number of periodic links", 8, 20);
  for (std::size_t k = 0; k < links; ++k) {
    const int dimension = checked_dimension(state, fields.integer("the dimension of a periodic link"));
    const std::int64_t here = fields.integer("a periodic entity"), there = fields.integer("its partner");
    if (is_4_0(state)) {
      scanner.skip_line_of("Affine");
    } else {
      fields.skip_reals(fields.count("the size of a transformation", 2, 8), "a transformation's entry");
    }
    const std::size_t pairs = fields.count("the number of periodic nodes", 4, 8);
    PeriodicLink link{fmt::format("{}-{}", here, there), {}};
    for (std::size_t n = 0; n < pairs; ++n) {
      const std::int32_t own = state.point(tag(state, "a periodic node"));
      link.vertices.emplace_back(own, state.point(tag(state, "its partner")));
    }
    state.mesh.periodic.push_back(std::move(link));
    state.mesh.periodic_dimension.push_back(dimension);
  }
}

}  // namespace rtcg::dgfem
