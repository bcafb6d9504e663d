#include "terminal/oracle_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::terminal {

boost::json::object oracle_json(const model::Problem& problem) {
  boost::json::array kinds;
  for (const model::OracleKind kind : model::oracle_kinds(problem)) kinds.emplace_back(model::name_of(kind));
  return {{"kinds", std::move(kinds)}, {"claim", model::oracle_claim(problem)}};
}

std::string oracle_text(const model::Problem& problem) {
  std::vector<std::string_view> kinds;
  for (const model::OracleKind kind : model::oracle_kinds(problem)) kinds.push_back(model::name_of(kind));
  return fmt::format("{}: {}", model::oracle_claim(problem), fmt::join(kinds, ", "));
}

}  // namespace evo::terminal
