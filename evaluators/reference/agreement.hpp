// Do two answers to the same inputs say the same?
#pragma once

#include <optional>
#include <span>
#include <string>

#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::reference {

/// One answer and whose it is.
struct Answer {
  const std::string& name;  ///< "expression", "kernel reference.cu", as messages say it
  const oracle::ReferenceOutputs& outputs;
  double rounding = 0x1p-53;  ///< relative, of its elements
};

/// "the oracles disagree: ...", with the place and both values; nullopt where they differ, relative to the
/// norm, by no more than the rounding of the coarser one allows after a long sum. Both hold these rows of
/// their outputs, or all where there are none.
[[nodiscard]] std::optional<model::Error> disagreement(const Answer& first, const Answer& second,
                                                       const model::Case& bound,
                                                       std::span<const std::int64_t> rows);

}  // namespace evo::evaluators::reference
