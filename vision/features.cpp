#include "vision/features.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "rtcg/array/expression.h"
#include "rtcg/array/interchange/hdf5.h"
#include "rtcg/io/aside_file.h"
#include "vision/image_reader.h"

namespace rtcg::vision {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t extent(std::size_t n) {
  return static_cast<std::int64_t>(n);
}

/// Takes features [image, y, x, feature] of the images from `first` on. What it queues goes onto the model's stream;
/// `finish` is called in the same order, two batches later at most, once that is done.
class FeatureSink {
 public:
  virtual ~FeatureSink() = default;
  virtual void queue(const Array& features, std::size_t first, unsigned slot) = 0;
  virtual void finish(unsigned slot) = 0;
};

/// The batches of one extraction. Two slots in turn: while the device works on one, the host fills and empties the
/// other.
class Extraction {
 public:
  Extraction(const Model& model, const ImageSource& images, const FeatureOptions& options, FeatureSink& sink)
      : model_(model), images_(images), options_(options), sink_(sink), upload_(model.stream().device()) {}

  /// Nothing that is still under way may outlive the memory it uses, an exception or not.
  ~Extraction() {
    try {
      upload_.synchronize();
      model_.stream().synchronize();
    } catch (const Error&) {  // the device is gone, and with it what it was doing
    }
  }

  FeatureReport run();

 private:
  struct Slot {
    HostImage shape;  ///< of the images, without their pixels
    std::size_t first = 0, count = 0, capacity = 0;
    std::optional<HostBuffer> staging;
    Array input;
    Event uploaded, started, finished;
    bool busy = false;
  };

  void fill(Slot& slot, ImageReader& reader);
  void reserve(Slot& slot, const HostImage& image);
  void launch(Slot& slot, unsigned which);
  void empty(Slot& slot, unsigned which);

  const Model& model_;
  const ImageSource& images_;
  const FeatureOptions& options_;
  FeatureSink& sink_;
  Stream upload_;
  Slot slots_[2];
  std::size_t next_ = 0;
  std::optional<HostImage> waiting_;  ///< read, but of another size than the batch before it
  FeatureReport report_;
};

void Extraction::reserve(Slot& slot, const HostImage& image) {
  std::size_t batch = options_.batch;
  try {
    const std::size_t fitting = model_.batch(image.height, image.width);
    if (batch == 0) batch = fitting;
  } catch (const UsageError& error) {
    throw InputError(
        fmt::format("{}, {} x {} pixels: {}", images_.name(next_), image.height, image.width, error.what()));
  }
  slot.capacity = std::min(batch, images_.size());
  model_.prepare(slot.capacity, image.height, image.width);
  slot.shape.height = image.height, slot.shape.width = image.width, slot.shape.channels = image.channels;
  slot.staging.emplace(model_.stream().device(), slot.capacity * image.pixels.size() * sizeof(float));
  slot.input = Array::empty(model_.stream(),
                            {extent(slot.capacity), extent(image.height), extent(image.width), extent(image.channels)},
                            Dtype::f32);
}

void Extraction::fill(Slot& slot, ImageReader& reader) {
  slot.first = next_, slot.count = 0;
  while (next_ < images_.size()) {
    HostImage image = waiting_ ? std::move(*waiting_) : reader.take();
    waiting_.reset();
    const bool same =
        image.height == slot.shape.height && image.width == slot.shape.width && image.channels == slot.shape.channels;
    if (slot.count == 0 && !same) reserve(slot, image);
    if (slot.count == slot.capacity || (slot.count != 0 && !same)) {
      waiting_ = std::move(image);
      return;
    }
    std::memcpy(slot.staging->as<float>().data() + slot.count * image.pixels.size(), image.pixels.data(),
                image.pixels.size() * sizeof(float));
    ++slot.count, ++next_;
  }
}

void Extraction::launch(Slot& slot, unsigned which) {
  const Stream& stream = model_.stream();
  const std::size_t bytes = slot.count * slot.shape.height * slot.shape.width * slot.shape.channels * sizeof(float);
  slot.input.buffer().write_async(upload_, *slot.staging, bytes);
  slot.uploaded = upload_.record();
  upload_.flush();
  stream.wait(slot.uploaded);
  slot.started = stream.record();
  const Array features = model_(slot.input(Slice{0, extent(slot.count)}));
  if (report_.images == 0) {
    report_.height = static_cast<std::size_t>(features.extent(1)),
    report_.width = static_cast<std::size_t>(features.extent(2));
    report_.channels = static_cast<std::size_t>(features.extent(3));
  } else if (features.shape() !=
             Shape{extent(slot.count), extent(report_.height), extent(report_.width), extent(report_.channels)})
    throw InputError(
        fmt::format("{}: {} x {} pixels give features {} x {} x {}, the images before it {} x {} x {}; give "
                    "the model an input size, or let it end with resample",
                    images_.name(slot.first), slot.shape.height, slot.shape.width, features.extent(1),
                    features.extent(2), features.extent(3), report_.height, report_.width, report_.channels));
  slot.finished = stream.record();
  sink_.queue(features, slot.first, which);
  stream.flush();
  report_.images += slot.count;
  slot.busy = true;
}

void Extraction::empty(Slot& slot, unsigned which) {
  if (!slot.busy) return;
  report_.device_seconds += seconds_between(slot.started, slot.finished);
  const auto start = Clock::now();
  sink_.finish(which);
  report_.written_seconds += seconds_since(start);
  slot.busy = false;
  if (options_.progress) options_.progress(slot.first + slot.count);
}

FeatureReport Extraction::run() {
  const auto start = Clock::now();
  const std::size_t ahead = options_.batch != 0 ? 2 * options_.batch : 256;
  ImageReader reader(images_, ahead, options_.threads);
  unsigned which = 0;
  while (next_ < images_.size()) {
    empty(slots_[which], which);
    fill(slots_[which], reader);
    launch(slots_[which], which);
    which ^= 1;
  }
  empty(slots_[which], which);
  empty(slots_[which ^ 1], which ^ 1);
  report_.waited_seconds = reader.waited();
  report_.seconds = seconds_since(start);
  return report_;
}

/// Into a dataset that is made when the first features show their shape.
class FileSink : public FeatureSink {
 public:
  FileSink(const Model& model, std::size_t images, const std::filesystem::path& file)
      : model_(model), images_(images), aside_(file), file_(hdf5::File::create(aside_.path(), file)) {}

  void queue(const Array& features, std::size_t first, unsigned which) override {
    if (!made_) {
      shape_ = {images_};
      for (int d = 1; d < 4; ++d) shape_.push_back(static_cast<std::size_t>(features.extent(d)));
      file_.create_dataset("/features", hdf5::Element::float32, shape_);
      file_.set_attribute("/features", "model", to_toml(model_.description()));
      made_ = true;
    }
    Slot& slot = slots_[which];
    if (!slot.memory || slot.memory->bytes() < features.bytes())
      slot.memory.emplace(model_.stream().device(), features.bytes());
    slot.first = first, slot.count = static_cast<std::size_t>(features.extent(0)),
    slot.elements = static_cast<std::size_t>(features.size());
    features.contiguous().buffer().read_async(model_.stream(), *slot.memory, features.bytes());
    slot.copied = model_.stream().record();
  }
  void finish(unsigned which) override {
    Slot& slot = slots_[which];
    slot.copied.synchronize();
    file_.write_rows("/features", slot.first, slot.count,
                     std::span<const float>(slot.memory->as<float>().data(), slot.elements));
  }
  void close(const ImageSource& images) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < images.size(); ++k) names.push_back(images.name(k));
    file_.write_texts("/files", names);
    file_.close();
    aside_.commit();
  }

 private:
  struct Slot {
    std::optional<HostBuffer> memory;
    std::size_t first = 0, count = 0, elements = 0;
    Event copied;
  };
  const Model& model_;
  std::size_t images_;
  AsideFile aside_;
  hdf5::File file_;
  hdf5::Shape shape_;
  bool made_ = false;
  Slot slots_[2];
};

/// Into an array on the device.
class ArraySink : public FeatureSink {
 public:
  ArraySink(const Model& model, std::size_t images) : model_(model), images_(images) {}

  void queue(const Array& features, std::size_t first, unsigned which) override {
    const std::int64_t count = features.extent(0), length = features.size() / count;
    if (!static_cast<bool>(all_)) all_ = Array::empty(model_.stream(), {extent(images_), length}, Dtype::f32);
    all_(Slice{extent(first), extent(first) + count}).assign(features.reshape({count, length}));
    done_[which] = model_.stream().record();
  }
  void finish(unsigned which) override { done_[which].synchronize(); }
  const Array& all() const { return all_; }

 private:
  const Model& model_;
  std::size_t images_;
  Array all_;
  Event done_[2];
};

}  // namespace

FeatureReport write_features(const Model& model, const ImageSource& images, const std::filesystem::path& file,
                             const FeatureOptions& options) {
  FileSink sink(model, images.size(), file);
  const FeatureReport report = Extraction(model, images, options, sink).run();
  sink.close(images);
  return report;
}

Array extract_features(const Model& model, const ImageSource& images, const FeatureOptions& options,
                       FeatureReport* report) {
  ArraySink sink(model, images.size());
  const FeatureReport found = Extraction(model, images, options, sink).run();
  if (report) *report = found;
  return sink.all();
}

Array extract_features(const Model& model, const Array& images, std::size_t batch) {
  if (images.dimensions() != 4 || images.size() == 0)
    throw UsageError(fmt::format("features: images are [image, y, x, channel]; given {}", to_string(images.shape())));
  if (batch == 0)
    batch = model.batch(static_cast<std::size_t>(images.extent(1)), static_cast<std::size_t>(images.extent(2)));
  const auto count = static_cast<std::size_t>(images.extent(0));
  model.prepare(std::min(batch, count), static_cast<std::size_t>(images.extent(1)),
                static_cast<std::size_t>(images.extent(2)));
  ArraySink sink(model, count);
  for (std::size_t first = 0; first < count; first += batch)
    sink.queue(model(images(Slice{extent(first), extent(std::min(count, first + batch))})), first, 0);
  return sink.all();
}

Array load_images(const Stream& stream, const ImageSource& images, unsigned threads) {
  ImageReader reader(images, 64, threads);
  std::vector<float> pixels;
  Shape shape;
  for (std::size_t k = 0; k < images.size(); ++k) {
    const HostImage image = reader.take();
    const Shape own{extent(images.size()), extent(image.height), extent(image.width), extent(image.channels)};
    if (k == 0) {
      shape = own;
      pixels.reserve(images.size() * image.pixels.size());
    } else if (own != shape)
      throw InputError(fmt::format("{}: {} x {} x {}; the images before it are {} x {} x {}", images.name(k), own[1],
                                   own[2], own[3], shape[1], shape[2], shape[3]));
    pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
  }
  return Array::from(stream, pixels, shape);
}

}  // namespace rtcg::vision
