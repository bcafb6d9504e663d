// Any program as an oracle: it gets the inputs as .npy files and writes the outputs as such.
//
//   PROGRAM ARGUMENTS... INPUTS OUTPUTS
//
// INPUTS is a folder with NAME.npy for each input array and case.json: {"case": ..., "axes": {...},
// "scalars":
// {...}, "outputs": {NAME: {"shape": [...], "dtype": "f32"}}}. The program writes OUTPUTS/NAME.npy for each
// output, best in float64, and ends with 0. It runs in the problem's folder, in a process group of its own
// that is killed at the time limit, without network, and can write into these folders and the problem's alone
// (process/program_cage.hpp). Python is not started for each case (warm_python.hpp).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/reference/warm_python.hpp"
#include "model/oracle_source.hpp"

namespace evo::evaluators::reference {

/// Answers are kept in `cache` (empty: not at all) under the hash of the command, the files that it names,
/// the inputs, axes and scalars, so that a run does not ask twice. Error: it does not start, runs too long,
/// ends with another exit code (with what it printed last), or leaves an output out.
class CommandOracle final : public oracle::ComputedOracle {
 public:
  CommandOracle(model::OracleSource source, std::filesystem::path cache);

  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;

 private:
  struct Home;
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> run(const model::Case& bound,
                                                              const oracle::InputBuffers& inputs,
                                                              const std::filesystem::path& scratch) const;

  model::OracleSource source_;
  std::filesystem::path cache_;
  std::shared_ptr<const Home> home_;  ///< all folders of cases, and the cage around them
  std::shared_ptr<WarmPython> warm_;  ///< nullptr: no Python program
};

}  // namespace evo::evaluators::reference
