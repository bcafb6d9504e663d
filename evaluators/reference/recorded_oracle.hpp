// Recorded arrays as an oracle: it answers for the inputs that were recorded, and for no others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/npy.hpp"
#include "model/oracle_source.hpp"

namespace evo::evaluators::reference {

class RecordedOracle final : public oracle::ComputedOracle {
 public:
  /// Reads all files. Error: one that is no .npy, with its name.
  [[nodiscard]] static model::Expected<RecordedOracle> load(
      const std::vector<model::RecordedWorkload>& recordings);

  /// The case has the name of a recorded workload, and these are its inputs, bit for bit.
  [[nodiscard]] bool can_answer(const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  [[nodiscard]] std::optional<model::Expected<oracle::InputBuffers>> recorded_inputs(
      const model::Case& bound) const override;
  /// The coarsest of the recorded floating-point types.
  [[nodiscard]] double rounding() const;

 private:
  struct Arrays {
    std::map<std::string, std::string> files;
    std::map<std::string, model::NpyArray> arrays;
  };
  std::map<std::string, Arrays> workloads_;
};

}  // namespace evo::evaluators::reference
