#include "config/overrides.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/settings.hpp"

namespace evo::config {
namespace {

/// Sections and keys that are settings: the others say what is checked, which a source has options for.
constexpr std::array<std::string_view, 5> settings{"gates", "search", "budget", "smem_limit", "input_seed"};

void apply(model::Experiment& experiment, const Overrides& overrides) {
  const Reader root = with_overrides({YAML::Node(YAML::NodeType::Map), "", ""}, overrides);
  root.expect_keys(key_names(experiment_keys()));
  for (const std::string& name : root.keys()) {
    if (std::find(settings.begin(), settings.end(), name) == settings.end()) {
      root.at(name).fail(fmt::format(
          "{} is no setting: what is checked is said by --problem, --template, --genes, --workload, "
          "--target, --accuracy and --device",
          name));
    }
  }
  if (const auto search = root.find("search")) read_search(*search, experiment.search);
  if (const auto budget = root.find("budget")) read_budget(*budget, experiment.budget);
  if (const auto gates = root.find("gates")) read_gates(*gates, experiment.gates);
  take(root, experiment_keys(), "smem_limit", experiment.smem_limit);
  if (const auto seed = root.find("input_seed"))
    experiment.input_seed =
        static_cast<std::uint64_t>(seed->integer(0, std::int64_t{9'200'000'000'000'000'000}));
}

}  // namespace

/// Changes the loaded tree itself: a copy of it would lose the positions of its nodes.
Reader with_overrides(const Reader& root, const Overrides& overrides) {
  // A node is a handle; assignments through this one change the tree.
  YAML::Node node = root.node();  // NOLINT(performance-unnecessary-copy-initialization)
  for (const auto& [dotted, text] : overrides) {
    YAML::Node value;
    try {
      value = YAML::Clone(YAML::Load(text));
    } catch (const YAML::ParserException& error) {
      throw Invalid{{fmt::format("--set {}={}: {}", dotted, text, error.msg), "", 0, 0}};
    }
    YAML::Node place;
    place.reset(node);
    std::size_t start = 0;
    while (true) {
      const std::size_t dot = dotted.find('.', start);
      const std::string part = dotted.substr(start, dot - start);
      if (!place.IsMap() && !place.IsNull() && place.IsDefined()) {
        throw Invalid{
            {fmt::format("--set {}: '{}' stands below a value that has no keys", dotted, part), "", 0, 0}};
      }
      if (dot == std::string::npos) {
        place[part] = value;
        break;
      }
      place.reset(place[part]);
      start = dot + 1;
    }
  }
  return {node, root.file(), ""};
}

model::Expected<std::pair<std::string, std::string>> parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return tl::make_unexpected(
        model::Error{fmt::format("--set takes key=value, as in search.seed=7; not '{}'", text)});
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

model::Expected<void> apply_overrides(model::Experiment& experiment, const Overrides& overrides) try {
  apply(experiment, overrides);
  return {};
} catch (const Invalid& invalid) {
  // There is no file: the positions are those in the text of one value.
  return tl::make_unexpected(model::Error{"--set: " + invalid.error.message, "", 0, 0});
} catch (const YAML::Exception& error) {
  return tl::make_unexpected(model::Error{"--set: " + error.msg, "", 0, 0});
}

}  // namespace evo::config
