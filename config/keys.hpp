// The settings tables: every key of experiment, problem and target files, once. The loaders take their known
// keys from here, and schema/ is generated from here (a test compares).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/known_names.hpp"

namespace evo::config {

struct Key {
  std::string_view name;
  std::string_view type;  ///< JSON Schema type: string, integer, number, boolean, array, object; "value" =
                          ///< number or string, "value or list" = or an array of those; "name" = a string,
                          ///< or a map that has a section of its own; "list" = an array, or a map that says
                          ///< one
  std::string_view description;
  bool required = false;
  double minimum = 0;          ///< numbers only, with `maximum`
  double maximum = 0;          ///< 0 with minimum 0: no bounds
  std::string_view choices{};  ///< "a|b|c" where only these are legal
  std::string_view unit{};     ///< of a number: "s"; empty: none, or the description says it
  /// The default, where the loader does not work it out from something else.
  std::variant<std::monostate, bool, std::int64_t, double, std::string_view> initial{};
};

[[nodiscard]] std::span<const Key> experiment_keys();
[[nodiscard]] std::span<const Key> baseline_keys();
[[nodiscard]] std::span<const Key> initial_design_keys();
[[nodiscard]] std::span<const Key> prior_keys();
[[nodiscard]] std::span<const Key> search_keys();
[[nodiscard]] std::span<const Key> screen_keys();  ///< of search.screen
[[nodiscard]] std::span<const Key> budget_keys();
[[nodiscard]] std::span<const Key> gate_keys();

[[nodiscard]] std::span<const Key> target_keys();

[[nodiscard]] std::span<const Key> problem_keys();
[[nodiscard]] std::span<const Key> comparator_keys();
[[nodiscard]] std::span<const Key> oracle_keys();
[[nodiscard]] std::span<const Key> axis_keys();
[[nodiscard]] std::span<const Key> argument_keys();
[[nodiscard]] std::span<const Key> texture_keys();
[[nodiscard]] std::span<const Key> surface_keys();
[[nodiscard]] std::span<const Key> input_set_keys();
[[nodiscard]] std::span<const Key> fill_keys();
[[nodiscard]] std::span<const Key> tolerance_keys();
[[nodiscard]] std::span<const Key> stage_keys();
[[nodiscard]] std::span<const Key> rule_keys();
[[nodiscard]] std::span<const Key> suspect_keys();
[[nodiscard]] std::span<const Key> source_keys();
[[nodiscard]] std::span<const Key> template_keys();
[[nodiscard]] std::span<const Key> start_keys();
[[nodiscard]] std::span<const Key> gene_keys();
[[nodiscard]] std::span<const Key> constraint_keys();
[[nodiscard]] std::span<const Key> launch_keys();
[[nodiscard]] std::span<const Key> launch_step_keys();  ///< of `launches:`, besides launch_keys()
[[nodiscard]] std::span<const Key> tensor_map_keys();

[[nodiscard]] std::vector<std::string> key_names(std::span<const Key> keys);
[[nodiscard]] const Key& key(std::span<const Key> keys, std::string_view name);

/// draft-07 JSON Schemas, as text. `targets` are the names that ship: an experiment's own are legal too.
[[nodiscard]] std::string experiment_schema(const std::vector<std::string>& targets);
[[nodiscard]] std::string problem_schema(const model::KnownNames& known);
[[nodiscard]] std::string target_schema();

}  // namespace evo::config
