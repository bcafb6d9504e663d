// Input data of a case: drawn from (entropy of the run, case, argument, input set, rotation) only, so that a
// replay or another machine makes the same bytes. A new generic kind is a function and a line in
// input_kinds.cpp.
#pragma once

#include <cstdint>
#include <span>
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
  /// The data decides how far a correct kernel may be off (conditioning.hpp).
  bool conditioned = false;
  /// Where `exact`: numbers of the output's type beside the rounded reference that are correct, too.
  unsigned exact_ulps = 0;
  /// What shape_draft reads of the set's parameters, with '|' between names.
  std::string_view parameters = {};
  /// Inputs hold infinities and NaNs; outputs must where the reference does.
  bool special_values = false;
};

/// Those that fit any problem: normal, and those of oracle/patterns.hpp.
[[nodiscard]] std::span<const InputKind> generic_input_kinds();
/// The kind's own parameters, then those that every kind takes (`exact`, `tolerance_factor`).
[[nodiscard]] std::vector<std::string> parameter_names(const InputKind& kind);

class Catalogue;
/// Bytes of every input argument; gaps between strided elements hold 0xff (a NaN in every float type), so
/// that a kernel that reads them shows it. Error: unknown kind, or arguments that the kind cannot shape.
[[nodiscard]] model::Expected<InputBuffers> make_inputs(const Catalogue& known, const model::Case& bound,
                                                        const model::InputSet& set, const InputKey& key);

/// How outputs are judged on a set: its kind's rule, or what its parameters say. See InputKind.
struct SetRules {
  bool exact = false;
  unsigned exact_ulps = 0;
  double tolerance_factor = 1;
  bool conditioned = false;
  bool special_values = false;
};
/// Those of a set of unknown kind are the defaults and its parameters.
[[nodiscard]] SetRules rules_of(const Catalogue& known, const model::InputSet& set);

/// Parameter of the sets that no problem declares (structured_sets): a case whose answer they drive beyond
/// the output's type is passed over.
inline constexpr std::string_view undeclared_parameter = "undeclared";
/// Kind of the set whose numbers a candidate's code chooses (set_of_numbers).
inline constexpr std::string_view named_kind = "named";

/// A parameter of the set, or `fallback` where the set does not name it.
[[nodiscard]] double parameter(const model::InputSet& set, std::string_view name, double fallback);

}  // namespace evo::evaluators::oracle
