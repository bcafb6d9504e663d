#include "model/oracle_source.hpp"

#include <algorithm>
#include <array>

#include "model/problem.hpp"

namespace evo::model {
namespace {

constexpr std::array<std::string_view, 5> oracle_kind_names{"builtin", "kernel", "expression", "files",
                                                            "command"};

}  // namespace

std::string_view name_of(OracleKind kind) {
  return oracle_kind_names.at(static_cast<std::size_t>(kind));
}

std::optional<OracleKind> oracle_kind_from_name(std::string_view name) {
  for (std::size_t i = 0; i < oracle_kind_names.size(); ++i) {
    if (oracle_kind_names[i] == name) return static_cast<OracleKind>(i);
  }
  return std::nullopt;
}

std::vector<OracleKind> oracle_kinds(const Problem& problem) {
  std::vector<OracleKind> kinds;
  for (const OracleSource& source : problem.oracles) {
    if (std::find(kinds.begin(), kinds.end(), source.kind) == kinds.end()) kinds.push_back(source.kind);
  }
  if (kinds.empty()) kinds.push_back(problem.oracle_kernel ? OracleKind::kernel : OracleKind::builtin);
  return kinds;
}

std::string oracle_claim(const Problem& problem) {
  const std::vector<OracleKind> kinds = oracle_kinds(problem);
  if (kinds.size() > 1) return "proven";
  return kinds.front() == OracleKind::files ? "matches the recording" : "proven (one oracle)";
}

}  // namespace evo::model
