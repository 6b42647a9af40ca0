#include <fmt/format.h>

#include "dgfem/mesh/gmsh_sections.h"

namespace rtcg::dgfem {

namespace {

std::size_t text_count(GmshState& state, const char* what, std::size_t text_bytes, std::size_t raw_bytes) {
  // In format 2 counts are text also where what they count is not.
  const std::size_t count = state.scanner.count(what, state.fields.is_binary() ? raw_bytes : text_bytes);
  if (state.fields.is_binary()) {
    state.scanner.line("the end of the line");
    state.scanner.binary(true);
  }
  return count;
}

std::int32_t group_of(GmshState& state, int dimension, const std::vector<std::int64_t>& tags) {
  return state.mesh.groups.intern(dimension, {tags.empty() ? 0 : tags.front()});
}

void read_text_elements(GmshState& state, std::size_t count) {
  MeshScanner& scanner = state.scanner;
  std::map<std::int64_t, GmshElementSink> sinks;
  std::vector<std::int64_t> tags;
  for (std::size_t k = 0; k < count; ++k) {
    scanner.integer("an element's number");
    const std::int64_t type = scanner.integer("an element's type");
    auto sink = sinks.find(type);
    if (sink == sinks.end()) sink = sinks.emplace(type, GmshElementSink(state, type, scanner.position())).first;
    tags.resize(scanner.count("the number of tags", 2));
    for (std::int64_t& tag : tags) tag = scanner.integer("a tag");
    sink->second.add(group_of(state, sink->second.dimension(), tags), [&] { return scanner.integer("a node"); });
  }
}

void read_raw_elements(GmshState& state, std::size_t count) {
  MeshScanner& scanner = state.scanner;
  const auto next = [&](const char* what) { return scanner.raw<std::int32_t>(what); };
  std::vector<std::int64_t> tags;
  for (std::size_t k = 0; k < count;) {
    const std::size_t position = scanner.position();
    const std::int32_t type = next("an element's type"), run = next("the number of elements of a run"),
                       tag_count = next("the number of tags");
    GmshElementSink sink(state, type, position);
    if (run < 1 || static_cast<std::size_t>(run) > count - k)
      scanner.fail_at(position, fmt::format("a run of {} elements where {} remain", run, count - k));
    if (tag_count < 0) scanner.fail_at(position, fmt::format("{} tags", tag_count));
    scanner.check_count(static_cast<std::uint64_t>(run), "the number of elements of a run",
                        4 * (1 + static_cast<std::size_t>(tag_count) + sink.nodes()));
    tags.resize(static_cast<std::size_t>(tag_count));
    for (std::int32_t e = 0; e < run; ++e) {
      next("an element's number");
      for (std::int64_t& tag : tags) tag = next("a tag");
      sink.add(group_of(state, sink.dimension(), tags), [&] { return next("a node"); });
    }
    k += static_cast<std::size_t>(run);
  }
}

}  // namespace

void read_gmsh2_nodes(GmshState& state) {
  const std::size_t count = text_count(state, "the number of nodes", 8, 28), position = state.scanner.position();
  std::vector<std::int64_t> tags(count);
  state.mesh.points.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    tags[k] = state.fields.integer("a node's number");
    for (double& x : state.mesh.points[k]) x = state.fields.real("a coordinate");
  }
  state.index_points(tags, position);
}

void read_gmsh2_elements(GmshState& state) {
  const std::size_t count = text_count(state, "the number of elements", 8, 8);
  state.fields.is_binary() ? read_raw_elements(state, count) : read_text_elements(state, count);
}

void read_gmsh2_periodic(GmshState& state) {
  MeshScanner& scanner = state.scanner;
  const std::size_t links = scanner.count("the number of periodic links", 8);
  for (std::size_t k = 0; k < links; ++k) {
    const std::int64_t dimension = scanner.integer("the dimension of a periodic link"),
                       here = scanner.integer("a periodic entity"), there = scanner.integer("its partner");
    scanner.skip_line_of("Affine");
    const std::size_t pairs = scanner.count("the number of periodic nodes", 4);
    PeriodicLink link{fmt::format("{}-{}", here, there), {}};
    for (std::size_t n = 0; n < pairs; ++n) {
      const std::int32_t own = state.point(scanner.integer("a periodic node"));
      link.vertices.emplace_back(own, state.point(scanner.integer("its partner")));
    }
    state.mesh.periodic.push_back(std::move(link));
    state.mesh.periodic_dimension.push_back(static_cast<int>(dimension));
  }
}

}  // namespace rtcg::dgfem
