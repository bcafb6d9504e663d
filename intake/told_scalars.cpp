#include "intake/told_scalars.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "intake/draft_maker.hpp"
#include "intake/gene_names.hpp"
#include "intake/size_candidates.hpp"
#include "intake/types.hpp"
#include "model/expression.hpp"

namespace evo::intake {
namespace {

bool is_own_name(const Draft& draft, const std::string& name) {
  const auto is = [&](const auto& each) { return each.name == name; };
  return std::ranges::any_of(draft.axes, is) || std::ranges::any_of(draft.genes, is);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string with_told_sizes(const Draft& draft, const std::string& flag, std::string text) {
  const std::vector<std::string> named = names_of(text);
  for (const DraftArgument& argument : draft.arguments) {
    const bool whole =
        argument.role == "scalar" && bytes_of(argument.dtype) > 0 && !ElementType{argument.dtype}.floating();
    if (!whole || !occurs(named, argument.name) || is_own_name(draft, argument.name)) continue;
    if (is_number(argument.value) && argument.why.starts_with("as told"))
      refuse(model::ExitCode::usage,
             fmt::format("{0} '{1}': '{2}' is told as a number, of which evo shows others, too, so that no "
                         "launch can be written with it: --axis {2}={3} where it is a size, or {3} in {0}",
                         flag, text, argument.name, argument.value));
    if (!argument.value.empty() && of_axes(draft, argument.value))
      text =
          with_name(text, argument.name,
                    names_of(argument.value).size() == 1 && argument.value == names_of(argument.value).front()
                        ? argument.value
                        : fmt::format("({})", argument.value));
  }
  return text;
}

}  // namespace evo::intake
