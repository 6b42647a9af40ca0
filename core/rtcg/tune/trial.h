// How one variant of a kernel is tried: the data of a problem on a stream, made once for a whole search, and a way to
// queue one execution of any configuration. What a variant writes lies between guard bands and is poisoned before the
// run that is checked, so that a variant that writes too little or too much is found out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "rtcg/device/buffer.h"
#include "rtcg/tune/configuration.h"

namespace rtcg {

/// Device memory for the results of a trial.
class GuardedOutput {
 public:
  /// `name` is for messages: "responses".
  GuardedOutput(const Stream& stream, std::string name, std::size_t bytes, ScalarType element = ScalarType::unknown);

  const Buffer& buffer() const { return inner_; }
  /// Fills with bytes 0xFF, which read as NaN or -1, and the bands with their pattern.
  void poison() const;
  /// NumericalError when a band was written to, saying how far from which end. Waits for the stream.
  void check_bands() const;

 private:
  std::string name_;
  Buffer whole_, inner_;
  std::size_t band_ = 0;
};

class Trial {
 public:
  virtual ~Trial() = default;

  /// Compiles the variant and binds its data: the function queues one execution on the trial's stream. Functions of
  /// several configurations are called in turn while the trial lives. Throws what compile() and launches throw.
  virtual std::function<void()> prepare(const Configuration& configuration) = 0;
  /// Everything that an execution writes and check() reads.
  virtual std::vector<const GuardedOutput*> outputs() const = 0;
  /// Compares what the last execution wrote with the reference, which must not come from a variant. NumericalError
  /// naming the first mismatch.
  virtual void check() = 0;
};

/// Poisons, executes once, looks at the bands and checks: what every variant must stand. Returns the function that
/// queues one execution.
std::function<void()> validated(Trial& trial, const Stream& stream, const Configuration& configuration);

}  // namespace rtcg
