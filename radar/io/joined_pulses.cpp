#include "radar/io/joined_pulses.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

class JoinedPulses : public PulseSource {
 public:
  JoinedPulses(std::vector<std::unique_ptr<PulseSource>> parts, const std::vector<std::string>& names)
      : parts_(std::move(parts)) {
    collection_.samples = parts_.front()->collection().samples;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Collection& part = parts_[i]->collection();
      if (part.samples != collection_.samples)
        throw InputError(fmt::format("{}: {} samples per pulse but {} in {}; files joined must agree", names[i],
                                     part.samples, collection_.samples, names[0]));
      append(collection_.antenna, part.antenna);
      append(collection_.reference_range, part.reference_range);
      append(collection_.first_frequency, part.first_frequency);
      append(collection_.frequency_step, part.frequency_step);
      append(collection_.range_correction, part.range_correction);
      append(collection_.phase_correction, part.phase_correction);
      for (const std::string& remark : part.remarks)
        collection_.remarks.push_back(fmt::format("{}: {}", names[i], remark));
    }
    drop_partial(collection_.range_correction, "range");
    drop_partial(collection_.phase_correction, "phase");
    collection_.description =
        fmt::format("{} and {} more", parts_.front()->collection().description, parts_.size() - 1);
    collection_.check();
  }

  const Collection& collection() const override { return collection_; }

  void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) override {
    check_block(*this, first, count, samples.size());
    std::size_t part_first = 0;
    for (const std::unique_ptr<PulseSource>& part : parts_) {
      const std::size_t part_end = part_first + part->collection().pulses();
      const std::size_t from = std::max(first, part_first), to = std::min(first + count, part_end);
      if (from < to)
        part->read(from - part_first, to - from,
                   samples.subspan((from - first) * collection_.samples, (to - from) * collection_.samples));
      part_first = part_end;
    }
  }

 private:
  void drop_partial(std::vector<double>& values, const char* what) {
    if (values.empty() || values.size() == collection_.pulses()) return;
    collection_.remarks.push_back(fmt::format("{} corrections left out: not every file has them", what));
    values.clear();
  }

  std::vector<std::unique_ptr<PulseSource>> parts_;
  Collection collection_;
};

}  // namespace

std::unique_ptr<PulseSource> join_pulses(std::vector<std::unique_ptr<PulseSource>> parts,
                                         const std::vector<std::string>& names) {
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedPulses>(std::move(parts), names);
}

}  // namespace rtcg::radar
