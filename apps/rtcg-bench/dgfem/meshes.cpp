// From a mesh file of a million tetrahedra to what a device is given: reading, ordering, connecting.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "apps/rtcg-bench/dgfem/topics.h"
#include "dgfem/discretization.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/gmsh_writer.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/mesh/read_mesh.h"
#include "dgfem/system_file.h"

namespace rtcg::bench {

void meshes_topic(Suite& suite, const Context& context) {
  using namespace dgfem;
  const int cells = context.quick ? 6 : 55;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("rtcg-bench-{}.msh", getpid());
  write_gmsh(file, box_mesh({.cells = {cells, cells, cells}}), true);
  std::vector<double> whole, reading, ordering, connecting;
  std::size_t elements = 0;
  for (int repeat = 0; repeat < (context.quick ? 1 : 3); ++repeat) {
    Problem problem;
    problem.system = shipped_system("maxwell", 3);
    problem.boundaries["default"] = {"pec", {}};
    reading.push_back(seconds_of([&] { problem.mesh = read_mesh(file); }));
    elements = problem.mesh.size();
    Mesh ordered;
    ordering.push_back(seconds_of([&] { ordered = reordered(problem.mesh, hilbert_order(problem.mesh)); }));
    connecting.push_back(seconds_of([&] { connect(ordered); }));
    const double rest =
        seconds_of([&] { Discretization{problem}; });  // orders and connects, geometry and links besides
    whole.push_back(reading.back() + rest);
  }
  std::filesystem::remove(file);
  const Measurement time = summarise(whole);
  suite.add({fmt::format("set-up of {} tetrahedra", elements),
             time.median,
             "s",
             time,
             {{"target", 10 / time.median * static_cast<double>(elements) / 1e6}},
             {{"s to read", summarise(reading).median},
              {"s to order", summarise(ordering).median},
              {"s to connect", summarise(connecting).median}},
             "binary Gmsh 4.1 to numbered elements, geometry and links; one thread"});
}

}  // namespace rtcg::bench
