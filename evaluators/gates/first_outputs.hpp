// Bit-equality of repeated launches: the outputs of the first are kept, those of the others compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {

/// Are all judged outputs of the case to be the same bits from launch to launch?
[[nodiscard]] bool repeats(const model::Case& bound);

/// For launches of one case on the same inputs. Not thread-safe.
class FirstOutputs {
 public:
  /// `bound` must outlive it.
  explicit FirstOutputs(const model::Case& bound) : case_(&bound) {}

  /// `outputs`: CaseBuffers::read_outputs() after a launch. The first call keeps them. Every later one fails
  /// with nondeterministic / `reason` where an addressed element of an output that is to be reproducible has
  /// other bits; `manner` says how that launch was made.
  [[nodiscard]] Outcome<void> compare(std::vector<devices::HostBytes> outputs, const std::string& reason,
                                      const std::string& manner);

  /// What read_outputs() of the launches behind the first need not copy where it is the same; compare() takes
  /// what comes back empty for that.
  [[nodiscard]] std::span<const std::optional<std::uint64_t>> known(const devices::Device& device);

 private:
  const model::Case* case_;
  std::int64_t launches_ = 0;
  std::vector<devices::HostBytes> first_;       // one entry an output
  std::vector<std::vector<oracle::Row>> rows_;  // likewise
  std::vector<std::optional<std::uint64_t>> known_;
};

}  // namespace evo::evaluators::gates
