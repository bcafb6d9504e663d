#include "evaluators/oracle/specials.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t stretch = 64;
constexpr std::uint64_t some = 8;  ///< one of so many
constexpr std::string_view any_kind = "special_values";

std::optional<double> value_of(std::string_view kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (kind == nans_kind) return std::numeric_limits<double>::quiet_NaN();
  if (kind == infinities_kind) return infinity;
  if (kind == negative_infinities_kind) return -infinity;
  return std::nullopt;
}

}  // namespace

std::vector<model::InputSet> special_sets(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& special = arguments[i].special;
    if (!special) continue;
    const auto add = [&](std::string_view kind, const char* name) {
      sets.push_back({fmt::format("{} in {}", name, arguments[i].name),
                      std::string(kind),
                      {{"argument", static_cast<double>(i)}, {std::string(undeclared_parameter), 1}}});
      if (special->inferred) sets.back().parameters[std::string(inferred_parameter)] = 1;
    };
    if (special->nan) add(nans_kind, "NaN");
    if (special->infinity) add(infinities_kind, "infinity");
    if (special->infinity) add(negative_infinities_kind, "minus infinity");
  }
  return sets;
}

void put_specials(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  const auto value = value_of(set.kind);
  const double named = parameter(set, "argument", -1);
  for (std::size_t i = 0; value && i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    if (named >= 0 && named != static_cast<double>(i)) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("specials/{}/{}", set.name, bound.name)});
    const std::uint64_t first = stream.below(2);
    const bool one_row = argument.shape.size() < 2 || argument.shape.back() == element_count(argument);
    const std::size_t length = one_row ? stretch : static_cast<std::size_t>(argument.shape.back());
    for (std::size_t e = 0; e < draft[i].size(); ++e) {
      const std::uint64_t turn = (e / length + first) % 3;
      if (turn == 1 || (turn == 0 && stream.below(some) == 0)) draft[i][e] = *value;
    }
  }
}

bool holds_nans(const model::InputSet& set) {
  return set.kind == nans_kind || set.kind == any_kind || set.kind == "not_numbers";
}

bool holds_infinities(const model::InputSet& set) {
  return set.kind == infinities_kind || set.kind == negative_infinities_kind || set.kind == any_kind;
}

}  // namespace evo::evaluators::oracle
