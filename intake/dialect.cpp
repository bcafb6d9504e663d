// What config accepts today, read off its own tables.
#include <algorithm>
#include <span>

#include "config/keys.hpp"
#include "intake/draft.hpp"

namespace evo::intake {
namespace {

bool has_key(std::span<const config::Key> keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(), [&](const config::Key& key) { return key.name == name; });
}

bool speaks_of(std::span<const config::Key> keys, std::string_view name, std::string_view word) {
  return has_key(keys, name) && config::key(keys, name).description.find(word) != std::string_view::npos;
}

}  // namespace

Dialect known_dialect() {
  Dialect dialect;
  dialect.inout =
      config::key(config::argument_keys(), "role").choices.find("inout") != std::string_view::npos;
  dialect.zeroed_outputs = has_key(config::argument_keys(), "before");
  dialect.idle_arguments =
      has_key(config::argument_keys(), "unused") && has_key(config::argument_keys(), "neutral");
  dialect.gene_as = has_key(config::gene_keys(), "as");
  dialect.auto_smem = speaks_of(config::launch_keys(), "static_smem", "auto");
  dialect.auto_tolerance = has_key(config::problem_keys(), "tolerance");
  dialect.fills = has_key(config::argument_keys(), "fill");
  dialect.align = has_key(config::argument_keys(), "align");
  dialect.command_oracle = has_key(config::oracle_keys(), "command");
  dialect.work_optional = !config::key(config::problem_keys(), "work").required;
  return dialect;
}

}  // namespace evo::intake
