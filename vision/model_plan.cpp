#include "vision/model_plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace rtcg::vision {

namespace {

/// Follows the extents through one operator after the other.
class Walk {
 public:
  Walk(const ModelDescription& model, std::size_t height, std::size_t width) : model_(model) {
    plan_.height = height, plan_.width = width, plan_.channels = model.input.channels;
  }

  void window(const char* operation, std::size_t height, std::size_t width, std::size_t stride, Border border,
              std::size_t filters = 0) {
    const std::size_t before = elements(), depth = plan_.channels;
    plan_.height = extent(operation, plan_.height, height, stride, border);
    plan_.width = extent(operation, plan_.width, width, stride, border);
    if (filters != 0) plan_.channels = filters;
    const double flops =
        filters == 0 ? 0 : 2.0 * static_cast<double>(elements()) * static_cast<double>(height * width * depth);
    add(operation, before, flops);
  }
  void resample(const Resampling& resampling) {
    const std::size_t before = elements();
    plan_.height = resampling.height, plan_.width = resampling.width;
    add("resample", before, 0);
  }
  void next_layer() { ++layer_; }
  ModelPlan take() { return std::move(plan_); }

 private:
  std::size_t elements() const { return plan_.height * plan_.width * plan_.channels; }
  std::size_t extent(const char* operation, std::size_t extent, std::size_t window, std::size_t stride,
                     Border border) const {
    const std::size_t padded = border == Border::valid ? extent : extent + window - 1;
    if (padded < window)
      throw UsageError(
          fmt::format("model \"{}\", layer {}: {} of {} pixels does not fit into the {} that are left of the image",
                      model_.name, layer_ + 1, operation, window, extent));
    return 1 + (padded - window) / stride;
  }
  void add(const char* operation, std::size_t before, double flops) {
    plan_.steps.push_back({layer_, operation, plan_.height, plan_.width, plan_.channels, flops});
    plan_.flops += flops;
    plan_.largest_step = std::max(plan_.largest_step, before + elements());
  }

  const ModelDescription& model_;
  ModelPlan plan_;
  std::size_t layer_ = 0;
};

}  // namespace

ModelPlan plan_model(const ModelDescription& model, std::size_t height, std::size_t width) {
  Walk walk(model, height, width);
  for (const Layer& layer : model.layers) {
    if (const auto& f = layer.filter) walk.window("filter", f->height, f->width, f->stride, f->border, f->count);
    if (const auto& p = layer.pool) walk.window("pool", p->height, p->width, p->stride_y, p->border);
    if (const auto& n = layer.normalise) walk.window("normalise", n->height, n->width, 1, n->border);
    if (layer.resample) walk.resample(*layer.resample);
    walk.next_layer();
  }
  return walk.take();
}

ReceptiveField receptive_field(const ModelDescription& model) {
  ReceptiveField field;
  const auto widen = [&](std::size_t height, std::size_t width, std::size_t stride) {
    field.height = (field.height - 1) * stride + height;
    field.width = (field.width - 1) * stride + width;
  };
  for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer) {
    if (const auto& n = layer->normalise) widen(n->height, n->width, 1);
    if (const auto& p = layer->pool) widen(p->height, p->width, p->stride_y);
    if (const auto& f = layer->filter) widen(f->height, f->width, f->stride);
  }
  return field;
}

}  // namespace rtcg::vision
