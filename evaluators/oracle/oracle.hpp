// fp64 references: what a problem's outputs must be. A generic one is a file here and a line in
// oracle.cpp; one of a family of problems belongs to its pack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/oracle_source.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Contents of the buffers of a case, one entry for each argument (empty for scalars and for what is no
/// input).
using InputBuffers = std::vector<std::vector<std::byte>>;

/// Reference values of a case, one entry for each argument (empty for what is no output), row-major over the
/// shape whatever the strides.
using ReferenceOutputs = std::vector<std::vector<double>>;

/// The bits of judged integers of 64 bits, which a double holds to 53 only; one entry for each argument, as
/// ReferenceOutputs, empty for all others.
using ExactWords = std::vector<std::vector<std::int64_t>>;

/// What the outputs would be if the kernel made one known mistake that belongs to what is computed and cannot
/// be had by changing the oracle's inputs.
struct MistakenOutputs {
  std::string name;  ///< "sum_not_rescaled"
  std::string text;  ///< "sums of tiles of 16 are added without a common maximum"
  ReferenceOutputs outputs;
};

class ComputedOracle;

/// An oracle with one mistake in it: what the problem's inputs and tolerance must see (evaluators/selftest).
struct OracleMutant {
  std::string text;  ///< "the last term of the sum over k is dropped"
  std::shared_ptr<const ComputedOracle> oracle;
};

/// How many draws compute_with_other_quotients() has.
inline constexpr std::uint64_t quotient_draws = 2;

/// An oracle that is no function of this program: a problem's own (evaluators/reference). As thread-safe and
/// pure as those.
class ComputedOracle {
 public:
  virtual ~ComputedOracle() = default;
  /// False: it has no answer to these inputs, and is no oracle for them (recorded arrays).
  [[nodiscard]] virtual bool can_answer(const model::Case&, const InputBuffers&) const { return true; }
  [[nodiscard]] virtual model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                                  const InputBuffers& inputs) const = 0;
  /// Can it give some rows of this case's output for less than all?
  [[nodiscard]] virtual bool computes_rows(const model::Case&) const { return false; }
  /// Does it compute all of this case's output fast enough not to be asked for rows, however big it is?
  [[nodiscard]] virtual bool prefers_whole(const model::Case&) const { return false; }
  [[nodiscard]] virtual model::Expected<ReferenceOutputs> compute_rows(const model::Case& bound,
                                                                       const InputBuffers& inputs,
                                                                       std::span<const std::int64_t>) const {
    return compute(bound, inputs);
  }
  /// The same in float, as a plain kernel would compute it (not yet rounded to the outputs' types); nullopt
  /// where it cannot. `rows` as in compute_rows(), empty for all.
  [[nodiscard]] virtual model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case&, const InputBuffers&, std::span<const std::int64_t>) const {
    return std::nullopt;
  }
  /// As compute_plain(), by other functions that are as common: a power by exp2 and log2. nullopt where that
  /// is no different.
  [[nodiscard]] virtual std::optional<ReferenceOutputs> compute_otherwise(
      const model::Case&, const InputBuffers&, std::span<const std::int64_t>) const {
    return std::nullopt;
  }
  /// As compute_plain() of all rows, but rounded to one neighbour of each exact result or the other, as
  /// `draw` says. What is exact in float is the same in every draw. nullopt where it cannot.
  [[nodiscard]] virtual std::optional<ReferenceOutputs> compute_rounded(const model::Case&,
                                                                        const InputBuffers&,
                                                                        std::uint64_t) const {
    return std::nullopt;
  }
  /// As compute(), but rounded to one neighbour of each exact result or the other, as `draw` says: what moves
  /// then hangs on the roundings of fp64. nullopt where it cannot.
  [[nodiscard]] virtual std::optional<ReferenceOutputs> compute_rounded_in_f64(const model::Case&,
                                                                               const InputBuffers&,
                                                                               std::uint64_t) const {
    return std::nullopt;
  }
  /// As compute(), but where integers are divided and C++ has no quotient (by 0, the least integer by -1)
  /// another number comes out, as `draw` says. nullopt where it divides none, cannot, or has no such draw.
  [[nodiscard]] virtual std::optional<ReferenceOutputs> compute_with_other_quotients(const model::Case&,
                                                                                     const InputBuffers&,
                                                                                     std::uint64_t) const {
    return std::nullopt;
  }
  /// The bits of what compute() gives of integers of 64 bits, all rows; nullopt where it has doubles only.
  [[nodiscard]] virtual std::optional<ExactWords> compute_words(const model::Case&,
                                                                const InputBuffers&) const {
    return std::nullopt;
  }
  /// Thread instructions that the answer to these inputs takes, so that inputs can be compared; nullopt: it
  /// counts none, has no answer, or needs more than Case::reference_budget.
  [[nodiscard]] virtual std::optional<std::uint64_t> effort(const model::Case&, const InputBuffers&) const {
    return std::nullopt;
  }
  /// How many terms an output is made of, at most; nullopt: it does not say.
  [[nodiscard]] virtual std::optional<double> depth(const model::Case&) const { return std::nullopt; }
  /// Itself with mistakes, where it can be changed.
  [[nodiscard]] virtual std::vector<OracleMutant> mutants(const model::Case&) const { return {}; }
  /// What another process needs to compute the same; nullptr where that is the whole's to say.
  [[nodiscard]] virtual const model::OracleParts* parts() const { return nullptr; }
  /// Inputs of the set `recorded` (input_sets.hpp); nullopt: it has none.
  [[nodiscard]] virtual std::optional<model::Expected<InputBuffers>> recorded_inputs(
      const model::Case&) const {
    return std::nullopt;
  }
};

struct Oracle {
  std::string_view name;
  std::string_view description;
  /// nullptr where there is a ComputedOracle. Pure and thread-safe; uses several threads for a big case, with
  /// the same result whatever their number. An Error says which argument or shape the reference cannot take.
  model::Expected<ReferenceOutputs> (*function)(const model::Case& bound, const InputBuffers& inputs);
  /// The same values, but of some rows only, at the cost of those: see Reference in row_sample.hpp. nullptr
  /// where a row cannot be had for less than all.
  model::Expected<ReferenceOutputs> (*row_function)(const model::Case& bound, const InputBuffers& inputs,
                                                    std::span<const std::int64_t> rows) = nullptr;
  /// What a plain implementation in the output's 16-bit type makes of the same inputs, rounded where such an
  /// implementation rounds; one entry for each common form of it. The rows of compute_rows(), or all where
  /// there are none. nullptr where no class needs it: see plain_errors.hpp.
  model::Expected<std::vector<ReferenceOutputs>> (*compute_plain)(
      const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t> rows) = nullptr;
  /// Outputs of kernels with a known mistake; empty where `bound` does not fit. nullptr: none are known.
  std::vector<MistakenOutputs> (*compute_mistakes)(const model::Case& bound,
                                                   const InputBuffers& inputs) = nullptr;
  const ComputedOracle* computed = nullptr;  ///< outlives this

  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const {
    return computed != nullptr ? computed->compute(bound, inputs) : function(bound, inputs);
  }
  [[nodiscard]] bool can_answer(const model::Case& bound, const InputBuffers& inputs) const {
    return computed == nullptr || computed->can_answer(bound, inputs);
  }
  [[nodiscard]] bool computes_rows(const model::Case& bound) const {
    return computed != nullptr ? computed->computes_rows(bound) : row_function != nullptr;
  }
  [[nodiscard]] bool prefers_whole(const model::Case& bound) const {
    return computed != nullptr && computed->prefers_whole(bound);
  }
  /// Only where computes_rows() says so.
  [[nodiscard]] model::Expected<ReferenceOutputs> compute_rows(const model::Case& bound,
                                                               const InputBuffers& inputs,
                                                               std::span<const std::int64_t> rows) const {
    return computed != nullptr ? computed->compute_rows(bound, inputs, rows)
                               : row_function(bound, inputs, rows);
  }
};

/// Those of no family of problems: vector_add, saxpy.
[[nodiscard]] std::span<const Oracle> generic_oracles();

/// Index of the argument called `name`, or an Error naming the case and what it has.
[[nodiscard]] model::Expected<std::size_t> argument_index(const model::Case& bound, std::string_view name);

/// c = a + b, element by element.
[[nodiscard]] model::Expected<ReferenceOutputs> vector_add(const model::Case& bound,
                                                           const InputBuffers& inputs);
/// z = alpha * x + y, element by element.
[[nodiscard]] model::Expected<ReferenceOutputs> saxpy(const model::Case& bound, const InputBuffers& inputs);

}  // namespace evo::evaluators::oracle
