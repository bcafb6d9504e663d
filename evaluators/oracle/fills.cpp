#include "evaluators/oracle/fills.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fill_draws.hpp"
#include "evaluators/oracle/fill_parts.hpp"
#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/patterns.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::BoundArgument;
using model::BoundFill;
using model::FillForm;

/// Of a floating-point array alone: what stands at its end matters.
constexpr std::array<std::string_view, 3> late_patterns{"late_spike", "rising", "creeping"};

/// A length, or an index, beside an array whose last elements matter: each second is the largest that it may
/// be. Lengths drawn at random leave those elements out.
void reach_the_end(const BoundFill& fill, model::RandomStream stream, std::vector<double>& values) {
  for (double& value : values) {
    if (stream.below(2) == 0) value = fill.high();
  }
}

/// Rows end where they begin, or later, and within what there is.
void keep_rows(std::size_t index, const BoundFill& fill, DraftInputs& draft) {
  const std::vector<double>& begins = draft[fill.argument];
  for (std::size_t e = 0; e < draft[index].size(); ++e) {
    double& value = draft[index][e];
    value = fill.form == FillForm::ends ? std::clamp(value, std::min(begins[e], fill.a), fill.a)
                                        : std::clamp(value, 0.0, std::max(fill.a - begins[e], 0.0));
  }
}

void copy_column(const model::Case& bound, std::size_t index, const BoundFill& fill, DraftInputs& draft) {
  const std::size_t columns = columns_of(bound.arguments[fill.argument]);
  const auto column = static_cast<std::size_t>(fill.a);
  const std::vector<double>& from = draft[fill.argument];
  for (std::size_t e = 0; e < draft[index].size(); ++e) draft[index][e] = from[e * columns + column];
}

}  // namespace

bool may_be_zero(const model::Fill& fill) {
  const bool two =
      fill.form == FillForm::normal || fill.form == FillForm::uniform || fill.form == FillForm::integers;
  if (!two || fill.numbers.size() != 2 || !fill.numbers[0].number || !fill.numbers[1].number) return true;
  const BoundFill bound{fill.form, *fill.numbers[0].number, *fill.numbers[1].number, 0, {}, {}};
  return bound.low() <= 0 && bound.high() >= 0;
}

bool holds_words_of_bits(const model::Fill& fill) {
  return fill.form == FillForm::integers && fill.numbers.size() == 2 && fill.numbers[0].number &&
         fill.numbers[1].number && *fill.numbers[1].number - *fill.numbers[0].number >= least_span_of_words;
}

void draw_fills(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                DraftInputs& draft) {
  const double named = set.kind == ends_apart_kind ? -1 : parameter(set, "argument", -1);
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      if (!model::is_given(bound.arguments[i].role)) continue;
      if (const BoundFill* fill = bound.arguments[i].fill_in(set.name)) use(i, bound.arguments[i], *fill);
    }
  };
  each([&](std::size_t i, const BoundArgument& argument, const BoundFill& fill) {
    const std::string purpose = fmt::format("fill/{}/{}/{}", set.name, bound.name, argument.name);
    const model::StreamKey of{.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose};
    draw_fill(argument, fill, model::RandomStream(of), draft[i]);
    const std::string_view kind = kind_for(set, i);
    // Others in each case: of three rows the same one or none would be as long as it can be in all of them.
    const std::string ends = fmt::format("ends/{}", bound.name);
    const model::StreamKey varied{of.seed, of.generation, i, "pattern of a fill"};
    if (named >= 0 && static_cast<std::size_t>(named) != i) {
      const bool late = std::ranges::find(late_patterns, kind) != late_patterns.end();
      if (late && fill.form == FillForm::integers &&
          is_floating(bound.arguments[static_cast<std::size_t>(named)].dtype))
        reach_the_end(fill, model::RandomStream({of.seed, of.generation, i, ends}), draft[i]);
      return;
    }
    if (!takes_pattern(fill.form, kind)) return;
    shape_fill(argument, fill, kind, model::RandomStream(varied), draft[i]);
  });
  // So far these are lengths.
  each([&](std::size_t i, const BoundArgument&, const BoundFill& fill) {
    if (fill.form != FillForm::ends) return;
    for (std::size_t e = 0; e < draft[i].size(); ++e) draft[i][e] += draft[fill.argument][e];
  });
  follow_others(bound, set, draft);
}

void follow_others(const model::Case& bound, const model::InputSet& set, DraftInputs& draft) {
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_given(bound.arguments[i].role)) continue;
    const BoundFill* fill = bound.arguments[i].fill_in(set.name);
    if (fill == nullptr || !model::follows_another(fill->form)) continue;
    if (fill->form == FillForm::column)
      copy_column(bound, i, *fill, draft);
    else
      keep_rows(i, *fill, draft);
  }
}

}  // namespace evo::evaluators::oracle
