// Who takes part in a side-by-side measurement, whatever runs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/oracle/oracle.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::benchmark {

template <class T>
using Attempt = tl::expected<T, std::string>;  ///< the error is one line for a person

/// Whole contents of each output of a case, in the arguments' order.
using Outputs = std::vector<std::vector<std::byte>>;

/// How one turn is timed: a sample is one replay of a CUDA graph of `launches` launches, which rotate over
/// `sets` sets of buffers.
struct TimingRequest {
  int sets = 1;
  int launches = 20;
  int warmup = 1;
  int samples = 1;
  /// Not 0: before each sample, outside its time, so many bytes that are nobody's are read, which leaves
  /// nothing of the sets in the L2. evo's own device decides itself how many those are.
  std::int64_t emptying_bytes = 0;
};

/// Takes turns with others: between the calls it runs nothing, and each call returns when its work on the
/// device is done. Not thread-safe.
class Contender {
 public:
  virtual ~Contender() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Runs `bound` once on `inputs` (one entry an argument) and gives what every output holds then. A kernel
  /// brings its own launch plan; everything else of the case is the same for all.
  [[nodiscard]] virtual Attempt<Outputs> compute(const model::Case& bound,
                                                 const oracle::InputBuffers& inputs) = 0;
  /// Microseconds a launch, one value a sample, for the case that compute() was last called with.
  [[nodiscard]] virtual Attempt<std::vector<double>> time(const TimingRequest& request) = 0;
  /// Gives memory back; compute() comes before the next time().
  virtual void release() = 0;
  /// Takes no part where many large shapes are measured one after the other.
  [[nodiscard]] virtual bool skips_sweeps() const { return false; }
  /// Whether the code that compute() ran last adds up in tensor cores (gates/tensor_sums.hpp). Of code that
  /// evo does not see, a library's, it may.
  [[nodiscard]] virtual bool adds_in_tensor_cores() const { return true; }
  /// How the latest samples were taken, e.g. the clock that was read. May be empty.
  [[nodiscard]] virtual std::string method() const { return {}; }
};

}  // namespace evo::evaluators::benchmark
