#include "rtcg/array/reduce_skeleton.h"

#include <cmath>
#include <limits>
#include <random>

#include "rtcg/array/dtype.h"
#include "support/devices.h"

namespace rtcg {
namespace {

/// Loads of one contiguous operand, as a LoopBody writes them.
BodyText contiguous_body(Dtype type, unsigned lanes) {
  BodyText body;
  const std::string storage = storage_name(type), name = compute_name(type);
  body.parameters = "global const " + storage + "* restrict p0, ";
  body.functions = "typedef uint index_t;\n";
  body.declare_lanes = name + " x0[" + std::to_string(lanes) + "];";
  if (lanes == 4)
    body.load_run = "{ const " + storage + "4 v = *(global const " + storage +
                    "4*)(p0 + i); "
                    "x0[0] = v.x; x0[1] = v.y; x0[2] = v.z; x0[3] = v.w; }";
  body.load_one = "x0[k] = p0[i];";
  body.compute = "const " + name + " v0 = x0[k];";
  body.results = {"v0"};
  body.result_types = {type};
  return body;
}

ReduceText sum_text(Dtype type) {
  ReduceText text;
  text.fields = {{type, "sum", "0", "v0"}};
  text.combine = "a.sum = a.sum + b.sum;";
  text.outputs = {{type, "a.sum"}};
  return text;
}

template <class T>
std::vector<std::vector<T>> run(const Device& device, LoopShape loops, const ReduceShape& shape, const Buffer& x,
                                unsigned lanes, const ReduceText& text, Dtype type) {
  const Stream stream(device);
  std::vector<Dtype> fields;
  for (const ReduceField& field : text.fields) fields.push_back(field.type);
  const std::size_t bytes = accumulator_bytes(fields);
  const ReducePlan plan = plan_reduce(loops, device.properties().compute_units, shape, lanes, bytes);
  const Module module = compile(device, reduce_source(plan, contiguous_body(type, lanes), text));
  const Kernel kernel = module.kernel("reduce");
  const std::optional<Kernel> join = has_join(device, plan) ? std::optional(module.kernel("join")) : std::nullopt;
  std::vector<Buffer> outputs;
  for (const ReduceOutput& output : text.outputs)
    outputs.emplace_back(stream, shape.outer * shape.inner * size_of(output.type));
  const Argument argument{x.argument(), {x.element(), 1, ArgumentSpace::buffer, 0}};
  // Twice: the second run needs the counters that the first one has put back.
  for (int i = 0; i < 2; ++i)
    launch_reduce(stream, kernel, join ? &*join : nullptr, plan, shape, bytes, {&argument, 1}, outputs);
  std::vector<std::vector<T>> results;
  for (const Buffer& output : outputs) results.push_back(output.read<T>());
  return results;
}

class ReduceSkeletonTest : public test::DeviceTest {};

TEST_P(ReduceSkeletonTest, SumsRowsAndColumnsOfEveryAspect) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const Stream stream(device());
  for (const ReduceShape& shape : std::initializer_list<ReduceShape>{
           {1, 0, 1},     {1, 1, 1},     {1, 3, 1},      {1, 4, 1},    {1, 5, 1},    {1, 200003, 1},
           {1000, 3, 1},  {3, 50001, 1}, {100, 999, 1},  {300, 65, 1}, {7, 4096, 1}, {2000, 20, 1},
           {1, 20000, 3}, {1, 3, 20000}, {1, 1000, 100}, {1, 1, 77},   {5, 33, 64},  {3, 1000, 17},
           {1, 300, 260}, {4, 0, 5},     {2, 5000, 256}, {1, 40, 1023}}) {
    SCOPED_TRACE(testing::Message() << shape.outer << " x " << shape.length << " x " << shape.inner);
    std::vector<float> values(shape.outer * shape.length * shape.inner);
    for (float& value : values) value = uniform(random);
    std::vector<double> sums(shape.outer * shape.inner), magnitudes(sums.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t at = i / (shape.length * shape.inner) * shape.inner + i % shape.inner;
      sums[at] += values[i], magnitudes[at] += std::abs(values[i]);
    }
    const Buffer x = Buffer::from(stream, values.empty() ? std::vector<float>(1) : values);
    for (const LoopShape loops : {LoopShape::cpu, LoopShape::gpu})
      for (const unsigned lanes : {1u, 4u}) {
        const auto result = run<float>(device(), loops, shape, x, lanes, sum_text(Dtype::f32), Dtype::f32)[0];
        ASSERT_EQ(result.size(), sums.size());
        for (std::size_t r = 0; r < sums.size(); ++r)
          EXPECT_NEAR(result[r], sums[r], 16 * 6e-8 * magnitudes[r] + 1e-30)
              << "result " << r << " lanes " << lanes << (loops == LoopShape::cpu ? " cpu" : " gpu");
      }
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(ReduceSkeletonTest);

}  // namespace
}  // namespace rtcg
