// Arithmetic that is done in double precision because a literal, or a name, says so.
#include "mutators/source_operators.hpp"
#include "mutators/source_rewrite.hpp"
#include "mutators/source_sites.hpp"

namespace evo::mutators {
namespace {

/// 0.25, 1e-6: without a suffix it is a double, and so is what it is added to.
bool is_double(const source::Token& token) {
  return token.kind == source::TokenKind::number && !token.text.starts_with("0x") &&
         token.text.find_first_of(".eE") != std::string::npos &&
         token.text.find_first_of("fFlLhH") == std::string::npos;
}

}  // namespace

std::vector<Change> SinglePrecision::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  const auto literal = [&](std::size_t at) -> std::optional<std::string> {
    if (!is_double(program.tokens[at])) return std::nullopt;
    return program.tokens[at].text + "f";
  };
  const auto any = [&](std::size_t at) -> std::optional<std::string> {
    if (program.tokens[at].is("double")) return "float";
    return literal(at);
  };
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    if (!source.reached[f]) continue;
    Change literals = rewritten(source, name(), f, literal), all = rewritten(source, name(), f, any);
    const bool more = all != literals;
    // Each statement alone, where there are several.
    if (literals.size() > 1) {
      for (const source::Edit& edit : literals) result.push_back({edit});
    }
    if (!literals.empty()) result.push_back(std::move(literals));
    if (more && !all.empty()) result.push_back(std::move(all));
  }
  return result;
}

}  // namespace evo::mutators
