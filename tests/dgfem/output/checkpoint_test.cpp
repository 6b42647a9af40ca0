#include "dgfem/output/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <csignal>
#include <limits>
#include <numeric>
#include <random>

#include "dgfem/geometry.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/output/checkpoint_rotation.h"
#include "dgfem/output/element_keys.h"
#include "dgfem/quadrature.h"
#include "dgfem/reference_element.h"
#include "rtcg/error.h"
#include "rtcg/io/hdf5.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

double polynomial(int field, int degree, const Eigen::RowVector3d& x) {
  return std::pow(0.2 + x[0] - 0.7 * x[1] + 0.4 * x[2], degree) + field;
}

template <class T>
std::vector<T> nodal_values(const Mesh& mesh, int order, int degree, int fields) {
  const ReferenceElement element(mesh.type, order);
  const ElementMap map(mesh, element.nodes());
  std::vector<T> values;
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const Eigen::MatrixXd x = map.places(e);
    for (Eigen::Index n = 0; n < x.rows(); ++n)
      for (int f = 0; f < fields; ++f) values.push_back(static_cast<T>(polynomial(f, degree, x.row(n))));
  }
  return values;
}

Mesh box(ElementType type) {
  return box_mesh({type, {2, 2, 2}});
}

template <class T>
Checkpoint sample(const Mesh& mesh, int order, int degree = 2) {
  Checkpoint checkpoint;
  checkpoint.system = "acoustics";
  checkpoint.fields = {"p", "u"};
  checkpoint.type = mesh.type;
  checkpoint.order = order;
  checkpoint.time = 0.1 + 0.2;
  checkpoint.step = 123456789012;
  checkpoint.scheme = "lsrk45";
  checkpoint.time_step = 1e-3 / 7;
  checkpoint.numbers = {{"error_before", 1.0 / 3}, {"steps refused", 2}};
  checkpoint.state = {element_keys(mesh), 2, nodal_values<T>(mesh, order, degree, 2)};
  const auto nodes = static_cast<std::size_t>(nodes_of(mesh.type, order));
  checkpoint.nodal["pml"] = {{checkpoint.state.elements[3]}, 1, std::vector<T>(nodes, T(0.7))};
  checkpoint.nodal["none"] = {{}, 4, std::vector<T>()};
  checkpoint.series = {{"fourier centre", {1, -2.5, 1e300}}, {"empty", {}}};
  return checkpoint;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void expect_round_trip(const Mesh& mesh) {
  const ScratchDirectory scratch;
  Checkpoint checkpoint = sample<T>(mesh, 3);
  auto& values = std::get<std::vector<T>>(checkpoint.state.values);
  values[0] = std::numeric_limits<T>::denorm_min();
  values[1] = T(-0.0);
  write_checkpoint(scratch / "c.h5", checkpoint);
  const Checkpoint back = read_checkpoint(scratch / "c.h5");
  EXPECT_EQ(back.system, checkpoint.system);
  EXPECT_EQ(back.fields, checkpoint.fields);
  EXPECT_EQ(back.type, checkpoint.type);
  EXPECT_EQ(back.order, 3);
  EXPECT_EQ(back.time, checkpoint.time);
  EXPECT_EQ(back.step, checkpoint.step);
  EXPECT_EQ(back.scheme, checkpoint.scheme);
  EXPECT_EQ(back.time_step, checkpoint.time_step);
  EXPECT_EQ(back.numbers, checkpoint.numbers);
  EXPECT_EQ(back.series, checkpoint.series);
  EXPECT_EQ(back.state.elements, checkpoint.state.elements);
  ASSERT_TRUE(std::holds_alternative<std::vector<T>>(back.state.values));
  EXPECT_TRUE(same_bits(std::get<std::vector<T>>(back.state.values), values));
  ASSERT_EQ(back.nodal.size(), 2u);
  EXPECT_EQ(back.nodal.at("pml").elements, checkpoint.nodal["pml"].elements);
  EXPECT_TRUE(same_bits(std::get<std::vector<T>>(back.nodal.at("pml").values),
                        std::get<std::vector<T>>(checkpoint.nodal["pml"].values)));
  EXPECT_EQ(back.nodal.at("none").components, 4);

  // However the elements are ordered.
  std::vector<std::int32_t> order(mesh.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  const Mesh other = reordered(mesh, order);
  require_same_problem(back, "c.h5", "acoustics", checkpoint.fields, other);
  const std::vector<T> moved = restored<T>(back.state, mesh.type, 3, 3, element_keys(other));
  const std::size_t width = values.size() / mesh.size();
  for (std::size_t e = 0; e < other.size(); ++e)
    ASSERT_EQ(std::memcmp(moved.data() + e * width, values.data() + static_cast<std::size_t>(order[e]) * width,
                          width * sizeof(T)),
              0);
}

TEST(Checkpoint, KeepsEveryBit) {
  expect_round_trip<float>(box(ElementType::tetrahedron));
  expect_round_trip<double>(box(ElementType::triangle));
  expect_round_trip<double>(curved(box(ElementType::tetrahedron), 2, [](const Point& p) {
    return Point{p[0] + 0.05 * p[1] * p[1], p[1], p[2]};
  }));
}

TEST(Checkpoint, IsTheSameFileForTheSameState) {
  const ScratchDirectory scratch;
  const Checkpoint checkpoint = sample<double>(box(ElementType::triangle), 2);
  write_checkpoint(scratch / "a.h5", checkpoint);
  write_checkpoint(scratch / "b.h5", checkpoint);
  EXPECT_EQ(read_bytes(scratch / "a.h5"), read_bytes(scratch / "b.h5"));
}

TEST(Checkpoint, MovesPolynomialsExactlyToOtherOrdersAndPrecisions) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron}) {
    const Mesh mesh = box(type);
    const std::vector<std::uint64_t> keys = element_keys(mesh);
    for (const int from : {2, 4, 10})
      for (const int to : {2, 3, 7, 10}) {
        const Checkpoint checkpoint = sample<double>(mesh, from);
        const std::vector<double> moved = restored<double>(checkpoint.state, type, from, to, keys),
                                  expected = nodal_values<double>(mesh, to, 2, 2);
        ASSERT_EQ(moved.size(), expected.size());
        for (std::size_t k = 0; k < moved.size(); ++k) ASSERT_NEAR(moved[k], expected[k], 1e-11) << from << " " << to;
      }
    const Checkpoint single = sample<float>(mesh, 3);
    const std::vector<double> wider = restored<double>(single.state, type, 3, 3, keys);
    const auto& stored = std::get<std::vector<float>>(single.state.values);
    EXPECT_TRUE(std::equal(wider.begin(), wider.end(), stored.begin(), stored.end()));
    EXPECT_TRUE(same_bits(restored<float>(sample<double>(mesh, 3).state, type, 3, 3, keys), stored));
  }
}

/// The error of the nearest polynomial is orthogonal to every polynomial of the lower order.
TEST(Checkpoint, ProjectsToALowerOrder) {
  const Mesh mesh = box(ElementType::tetrahedron);
  const int high = 6, low = 3;
  const Checkpoint checkpoint = sample<double>(mesh, high, 6);
  const std::vector<double> moved = restored<double>(checkpoint.state, mesh.type, high, low, element_keys(mesh));
  const Quadrature rule = simplex_quadrature(3, high + low);
  const Eigen::MatrixXd at_low = ReferenceElement(mesh.type, low).interpolation(rule.points);
  const Eigen::Index nodes = at_low.cols();
  const ElementMap map(mesh, rule.points);
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const Eigen::MatrixXd x = map.places(e);
    Eigen::VectorXd values(nodes);
    for (Eigen::Index n = 0; n < nodes; ++n)
      values[n] = moved[(e * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(n)) * 2];
    Eigen::VectorXd error = at_low * values;
    for (Eigen::Index q = 0; q < error.size(); ++q) error[q] -= polynomial(0, 6, x.row(q));
    EXPECT_GT(error.cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((at_low.transpose() * rule.weights.cwiseProduct(error)).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(Checkpoint, FitsOnlyItsOwnProblem) {
  const Mesh mesh = box(ElementType::triangle);
  const Checkpoint checkpoint = sample<double>(mesh, 2);
  const std::vector<std::string> fields{"p", "u"}, others{"p", "v"}, more{"p", "u", "v"};
  require_same_problem(checkpoint, "c.h5", "acoustics", fields, mesh);
  EXPECT_MESSAGE(InputError, "c.h5: the state of system \"acoustics\"; the case solves \"maxwell\"",
                 require_same_problem(checkpoint, "c.h5", "maxwell", fields, mesh));
  EXPECT_MESSAGE(InputError, "c.h5: the state of fields p, u; the case has p, v",
                 require_same_problem(checkpoint, "c.h5", "acoustics", others, mesh));
  EXPECT_MESSAGE(InputError, "the case has p, u, v", require_same_problem(checkpoint, "c.h5", "acoustics", more, mesh));
  EXPECT_MESSAGE(InputError, "c.h5: the state of triangle elements; the mesh has tetrahedron elements",
                 require_same_problem(checkpoint, "c.h5", "acoustics", fields, box(ElementType::tetrahedron)));
  Mesh moved = mesh;
  moved.points[0][0] += 1e-9;
  EXPECT_MESSAGE(InputError, "of its 8 elements 6 are among the 8 of this one",
                 require_same_problem(checkpoint, "c.h5", "acoustics", fields, moved));
  EXPECT_MESSAGE(InputError, "has no data in the checkpoint",
                 restored<double>(checkpoint.state, mesh.type, 2, 2, element_keys(moved)));
}

TEST(Checkpoint, RefusesForeignTruncatedAndDamagedFiles) {
  const ScratchDirectory scratch;
  write_checkpoint(scratch / "c.h5", sample<double>(box(ElementType::triangle), 2));
  const std::string whole = read_bytes(scratch / "c.h5");
  EXPECT_MESSAGE(InputError, "none.h5: cannot be read", read_checkpoint(scratch / "none.h5"));
  write_bytes(scratch / "text.h5", "hello");
  EXPECT_MESSAGE(InputError, "text.h5: not an HDF5 file", read_checkpoint(scratch / "text.h5"));
  {
    hdf5::File other = hdf5::File::create(scratch / "other.h5");
    other.set_attribute("/", "format", std::string("pictures"));
    other.close();
  }
  EXPECT_MESSAGE(InputError, "other.h5: an HDF5 file, but no checkpoint", read_checkpoint(scratch / "other.h5"));
  {
    hdf5::File later = hdf5::File::create(scratch / "later.h5");
    later.set_attribute("/", "format", std::string("rtcg-dgfem checkpoint"));
    later.set_attribute("/", "format_version", 2.0);
    later.close();
  }
  EXPECT_MESSAGE(InputError, "later.h5: a checkpoint of format 2; this program reads up to 1",
                 read_checkpoint(scratch / "later.h5"));
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    write_bytes(scratch / "cut.h5", whole.substr(0, size));
    EXPECT_THROW(read_checkpoint(scratch / "cut.h5"), InputError) << size;
  }
  // Any byte of the numbers changed is noticed.
  const double number = 1.0 / 3;
  const std::string needle(reinterpret_cast<const char*>(&number), sizeof number);
  Checkpoint marked = sample<double>(box(ElementType::triangle), 2);
  std::get<std::vector<double>>(marked.state.values)[20] = number;
  marked.numbers.clear();
  write_checkpoint(scratch / "c.h5", marked);
  std::string bytes = read_bytes(scratch / "c.h5");
  const std::size_t at = bytes.find(needle);
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  write_bytes(scratch / "bad.h5", bytes);
  EXPECT_MESSAGE(InputError, "bad.h5: /state/values is damaged", read_checkpoint(scratch / "bad.h5"));
  // Elsewhere either noticed or without meaning; never anything else.
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    std::string changed = whole;
    changed[random() % changed.size()] = static_cast<char>(random());
    write_bytes(scratch / "any.h5", changed);
    try {
      read_checkpoint(scratch / "any.h5");
    } catch (const InputError&) {
    }
  }
}

TEST(Checkpoint, WrongSizesAndNamesAreTheCallersMistake) {
  const ScratchDirectory scratch;
  const Mesh mesh = box(ElementType::triangle);
  Checkpoint wrong = sample<double>(mesh, 2);
  wrong.order = 3;
  EXPECT_MESSAGE(UsageError, "/state: 96 values for 8 elements of 10 nodes and 2 components",
                 write_checkpoint(scratch / "c.h5", wrong));
  wrong = sample<double>(mesh, 2);
  wrong.fields.push_back("v");
  EXPECT_MESSAGE(UsageError, "a state of 2 components for 3 fields", write_checkpoint(scratch / "c.h5", wrong));
  wrong = sample<double>(mesh, 2);
  wrong.series["a/b"] = {1};
  EXPECT_MESSAGE(UsageError, "\"a/b\" cannot name data", write_checkpoint(scratch / "c.h5", wrong));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

/// A limit on the size of files stands for a full disk.
TEST(Checkpoint, OnAFullDiskLeavesTheOldOne) {
  const ScratchDirectory scratch;
  const Checkpoint old = sample<double>(box(ElementType::triangle), 2);
  write_checkpoint(scratch / "c.h5", old);
  const std::string before = read_bytes(scratch / "c.h5");
  const Checkpoint larger = sample<double>(box_mesh({ElementType::tetrahedron, {6, 6, 6}}), 4);
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limited = unlimited;
  limited.rlim_cur = 200000;
  setrlimit(RLIMIT_FSIZE, &limited);
  EXPECT_THROW(write_checkpoint(scratch / "c.h5", larger), InputError);
  EXPECT_THROW(CheckpointRotation(scratch.path(), "run", 1).write(larger), InputError);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_bytes(scratch / "c.h5"), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  EXPECT_MESSAGE(InputError, "cannot be written", write_checkpoint(scratch / "none/c.h5", old));
}

TEST(Checkpoint, KilledWhileItIsWrittenLeavesTheOldOne) {
  const ScratchDirectory scratch;
  const Checkpoint old = sample<double>(box(ElementType::triangle), 2);
  write_checkpoint(scratch / "c.h5", old);
  const std::string before = read_bytes(scratch / "c.h5");
  const Checkpoint larger = sample<double>(box_mesh({ElementType::tetrahedron, {10, 10, 10}}), 5);
  int survived = 0;
  for (const int delay : {0, 0, 2, 5, 10}) {
    const pid_t child = fork();
    if (child == 0) {
      write_checkpoint(scratch / "c.h5", larger);
      _exit(0);
    }
    siginfo_t ended{};
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(scratch.path()), {}); };
    while (files() < 2 && waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0) {
    }
    usleep(static_cast<useconds_t>(delay) * 1000);
    kill(child, SIGKILL);  // a child that has ended is not yet waited for, so the number is still its own
    waitpid(child, nullptr, 0);
    if (read_bytes(scratch / "c.h5") == before) {
      ++survived;
    } else {
      EXPECT_EQ(read_checkpoint(scratch / "c.h5").state.elements.size(), larger.state.elements.size());
      write_bytes(scratch / "c.h5", before);
    }
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
      if (entry.path().filename() != "c.h5") std::filesystem::remove(entry.path());
  }
  EXPECT_GT(survived, 0);
}

TEST(CheckpointRotation, KeepsTheLastFew) {
  const ScratchDirectory scratch;
  const CheckpointRotation rotation(scratch.path(), "run", 2);
  EXPECT_FALSE(rotation.latest());
  write_bytes(scratch / "run_x.h5", "not of the rotation");
  write_bytes(scratch / "run_two_000000001.h5", "not of the rotation");
  Checkpoint checkpoint = sample<float>(box(ElementType::triangle), 1);
  for (const std::int64_t step : {10, 20, 30}) {
    checkpoint.step = step;
    EXPECT_EQ(rotation.write(checkpoint), scratch / ("run_0000000" + std::to_string(step) + ".h5"));
    EXPECT_EQ(*rotation.latest(), scratch / ("run_0000000" + std::to_string(step) + ".h5"));
  }
  const auto there = [&](const char* name) { return std::filesystem::exists(scratch / name); };
  EXPECT_FALSE(there("run_000000010.h5"));
  EXPECT_TRUE(there("run_000000020.h5"));
  // A run continued from step 20: its own are newer than what was left of the future.
  checkpoint.step = 25;
  rotation.write(checkpoint);
  EXPECT_FALSE(there("run_000000020.h5"));
  EXPECT_TRUE(there("run_000000030.h5"));
  checkpoint.step = 26;
  rotation.write(checkpoint);
  EXPECT_FALSE(there("run_000000030.h5"));
  EXPECT_TRUE(there("run_000000025.h5"));
  rotation.write(checkpoint);  // the same again
  EXPECT_TRUE(there("run_000000025.h5"));
  EXPECT_TRUE(there("run_x.h5"));
  EXPECT_TRUE(there("run_two_000000001.h5"));
  EXPECT_MESSAGE(UsageError, "0 checkpoints to keep", CheckpointRotation(scratch.path(), "run", 0));
}

}  // namespace
}  // namespace rtcg::dgfem
