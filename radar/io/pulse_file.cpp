#include "radar/io/pulse_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/io/hdf5.h"

namespace rtcg::radar {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

struct Field {
  const char* path;
  std::vector<double> Collection::*values;
  const char* unit;
  bool optional;
};
constexpr Field fields[] = {{"/reference_range", &Collection::reference_range, "m", false},
                            {"/first_frequency", &Collection::first_frequency, "Hz", false},
                            {"/frequency_step", &Collection::frequency_step, "Hz", false},
                            {"/range_correction", &Collection::range_correction, "m", true},
                            {"/phase_correction", &Collection::phase_correction, "rad", true}};

class FilePulses : public PulseSource {
 public:
  explicit FilePulses(const std::filesystem::path& path) : name_(path.string()), file_(hdf5::File::open(path)) {
    const hdf5::Shape shape = file_.shape("/samples"), positions = file_.shape("/antenna");
    if (shape.size() != 2) fail(fmt::format("/samples has {} dimensions; [pulse][sample] is needed", shape.size()));
    if (positions.size() != 2 || positions[0] != shape[0] || positions[1] != 3)
      fail(fmt::format("/antenna is {}; [{}][3] is needed, x, y, z of every pulse", bracketed(positions), shape[0]));
    const std::vector<double> xyz = file_.read<double>("/antenna");
    collection_.samples = shape[1];
    for (std::size_t p = 0; p < shape[0]; ++p)
      collection_.antenna.emplace_back(xyz[3 * p], xyz[3 * p + 1], xyz[3 * p + 2]);
    for (const Field& field : fields) {
      if (field.optional && !file_.has(field.path)) continue;
      if (const hdf5::Shape size = file_.shape(field.path); size != hdf5::Shape{shape[0]})
        fail(fmt::format("{} is {}; [{}] is needed, one value per pulse", field.path, bracketed(size), shape[0]));
      collection_.*field.values = file_.read<double>(field.path);
    }
    const hdf5::Attributes attributes = file_.attributes("/");
    const auto text = attributes.find("description");
    const bool described = text != attributes.end() && std::holds_alternative<std::string>(text->second);
    collection_.description = described ? std::get<std::string>(text->second) : path.filename().string();
    try {
      collection_.check();
    } catch (const InputError& error) {
      fail(error.what());
    }
    if (file_.element("/samples") != hdf5::Element::complex64 && file_.element("/samples") != hdf5::Element::complex128)
      fail("/samples holds real numbers; complex ones, a compound {r, i}, are needed");
  }

  const Collection& collection() const override { return collection_; }

  void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) override {
    check_block(*this, first, count, samples.size());
    file_.read_rows("/samples", first, count, samples);
    check_finite(samples, collection_.samples, first, name_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", name_, what)); }

  static std::string bracketed(const hdf5::Shape& shape) {
    std::string text;
    for (std::size_t size : shape) text += fmt::format("[{}]", size);
    return text.empty() ? "a single value" : text;
  }

  std::string name_;
  hdf5::File file_;
  Collection collection_;
};

void write_field(hdf5::File& file, const char* path, const hdf5::Shape& shape, std::span<const double> values,
                 const char* unit) {
  file.write(path, shape, values);
  file.set_attribute(path, "units", unit);
}

}  // namespace

std::unique_ptr<PulseSource> open_pulse_file(const std::filesystem::path& file) {
  return std::make_unique<FilePulses>(file);
}

void write_pulses(const std::filesystem::path& path, PulseSource& pulses) {
  const Collection& collection = pulses.collection();
  collection.check();
  AsideFile aside(path);
  hdf5::File file = hdf5::File::create(aside.path(), path);
  file.set_attribute("/", "format", "rtcg pulses");
  file.set_attribute("/", "version", 1.0);
  file.set_attribute("/", "description", collection.description);
  const std::size_t n = collection.pulses(), k = collection.samples;
  std::vector<double> xyz;
  for (const Vec3& a : collection.antenna) xyz.insert(xyz.end(), {a.x(), a.y(), a.z()});
  write_field(file, "/antenna", {n, 3}, xyz, "m");
  for (const Field& field : fields)
    if (const std::vector<double>& values = collection.*field.values; !values.empty())
      write_field(file, field.path, {n}, values, field.unit);
  const std::size_t chunk = std::clamp<std::size_t>(chunk_bytes / (k * sizeof(std::complex<float>)), 1, n);
  file.create_dataset("/samples", hdf5::Element::complex64, {n, k}, chunk);
  file.set_attribute("/samples", "units", "1");
  std::vector<std::complex<float>> block;
  for (std::size_t first = 0; first < n; first += chunk) {
    const std::size_t count = std::min(chunk, n - first);
    block.resize(count * k);
    pulses.read(first, count, block);
    file.write_rows<std::complex<float>>("/samples", first, count, block);
  }
  file.close();
  aside.commit();
}

}  // namespace rtcg::radar
