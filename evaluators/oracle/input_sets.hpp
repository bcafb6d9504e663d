// Input data of a case: drawn from (entropy of the run, case, argument, input set, rotation) only, so that a
// replay or another machine makes the same bytes. A new kind is a function and a line in input_sets.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/error.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Values of one input before they are rounded to its type: row-major over the shape, one entry per argument.
using DraftInputs = std::vector<std::vector<double>>;

/// Which draw is meant. `rotation` numbers further independent data of the same set (timed buffers).
struct InputKey {
  std::uint64_t seed = 0;
  std::uint64_t rotation = 0;
};

struct InputKind {
  std::string_view name;
  std::string_view description;
  /// Every output element must equal the rounded reference bit for bit (unless the set's parameter `exact` is
  /// 0).
  bool exact = false;
  double tolerance_factor = 1;  ///< on the accuracy class's bounds; the set's parameter of that name wins
  /// Changes the standard normal draft in place.
  model::Expected<void> (*shape_draft)(const model::Case& bound, const model::InputSet& set,
                                       const InputKey& key, DraftInputs& draft);
  /// The data decides how far a right kernel may be off (conditioning.hpp).
  bool conditioned = false;
  /// Where `exact`: numbers of the output's type beside the rounded reference that are right, too.
  unsigned exact_ulps = 0;
};

[[nodiscard]] const InputKind* find_input_kind(std::string_view name);
[[nodiscard]] std::vector<std::string> input_kind_names();

/// Bytes of every input argument; gaps between strided elements hold 0xff (a NaN in every float type), so
/// that a kernel that reads them shows it. Error: unknown kind, or arguments that the kind cannot shape.
[[nodiscard]] model::Expected<InputBuffers> make_inputs(const model::Case& bound, const model::InputSet& set,
                                                        const InputKey& key);

/// How a set is judged: its kind's rule, or what its parameters say.
[[nodiscard]] bool wants_exact(const model::InputSet& set);
[[nodiscard]] unsigned exact_ulps(const model::InputSet& set);
[[nodiscard]] double tolerance_factor(const model::InputSet& set);

/// Is the set judged with the conditioning of its data?
[[nodiscard]] bool is_conditioned(const model::InputSet& set);
/// Parameter of the sets that no problem declares (structured_sets): a case whose answer they drive beyond
/// the output's type is passed over.
inline constexpr std::string_view undeclared_parameter = "undeclared";

/// A parameter of the set, or `fallback` where the set does not name it.
[[nodiscard]] double parameter(const model::InputSet& set, std::string_view name, double fallback);

}  // namespace evo::evaluators::oracle
