// References of big cases: a few rows of the output, exactly, instead of all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// A case of more floating-point operations than this (by the problem's work model) is judged on sampled
/// rows, if its oracle can compute single rows: a run needs a reference for each input set and each timed
/// buffer.
inline constexpr double whole_reference_flops = 4294967296.0;  // 2^32
/// About this much is spent on the sampled rows...
inline constexpr double sample_flops = 1073741824.0;  // 2^30
/// ...within these bounds on their number, and at least one for each matrix (the last two dimensions) of the
/// output up to the second.
inline constexpr std::int64_t fewest_rows = 64, most_rows = 8192;

/// Errors of a plain 16-bit implementation on an output; see plain_errors.hpp.
struct OutputErrors {
  double rms = 0, largest = 0;
};

/// What an output must be, on all of its rows or on some.
struct Reference {
  ReferenceOutputs outputs;
  /// Empty: `outputs` holds every row. Otherwise it holds these (ascending), one after the other. A row is
  /// one index of all dimensions but the last, row-major over the shape.
  std::vector<std::int64_t> rows;
  /// One for each argument, or none where nobody asked for them.
  std::vector<OutputErrors> plain_errors{};
  /// One for each argument where the data decides how far a correct kernel may be off (conditioning.hpp);
  /// else none.
  std::vector<OutputErrors> conditioning{};
  SetRules rules{};  ///< of the set that the inputs were drawn from
  /// What `conditioning` grants is at most the tolerance once more (rounding_of_few).
  bool doubled_at_most = false;
};

/// Rows of an output: the product of its dimensions but the last.
[[nodiscard]] std::int64_t row_count(const model::BoundArgument& output);

/// Which rows of a case's output are judged: its first and its last; of each matrix in turn the first, the
/// last, rows on either side of a multiple of 16 (the border of any tile), and others, drawn from `entropy`,
/// until the work is spent. Ascending, each once.
[[nodiscard]] std::vector<std::int64_t> draw_rows(const model::Case& bound,
                                                  const model::BoundArgument& output, std::uint64_t entropy);

/// The whole reference, or that of draw_rows() for a case of more than `most_flops` whose oracle computes
/// rows. Error: what the oracle cannot take.
[[nodiscard]] model::Expected<Reference> make_reference(const Oracle& oracle, const model::Case& bound,
                                                        const InputBuffers& inputs, std::uint64_t entropy,
                                                        double most_flops = whole_reference_flops);

}  // namespace evo::evaluators::oracle
