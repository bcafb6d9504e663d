#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "diagnose/observations.hpp"

namespace evo::diagnose {
namespace {

constexpr double small_error = 0.02;

/// Logits are right within a class that FP16 storage may exceed only further on: how right they are says how
/// they are kept.
void add_accuracy(const StageCheck& check, Facts& facts) {
  constexpr double single = 2e-6, half_low = 5e-5, half_high = 2e-3;
  if (check.formula != "attention_scores" || !check.right) return;
  const double error = check.relative_frobenius;
  if (error <= single)
    facts.add("stage.single_accuracy",
              fmt::format("{} is as right as FP32 allows: {:.3g}", check.name, error));
  if (error >= half_low && error <= half_high)
    facts.add("stage.half_accuracy", fmt::format("{} is as right as FP16 allows: {:.3g}", check.name, error));
}

void add_first_divergent(const Tile& tile, Facts& facts) {
  const StageCheck& check = tile.check;
  const std::string text = fmt::format("stage {}: {}", check.name, text_of(check));
  facts.add("diverges." + check.formula, text);
  for (const std::string& match : check.matches) {
    std::string what = match;
    if (const auto* formula = evaluators::oracle::find_stage_formula(check.formula)) {
      for (const auto& hypothesis : formula->hypotheses) {
        if (hypothesis.name == match) what = hypothesis.text;
      }
    }
    facts.add(fmt::format("match.{}.{}", check.formula, match),
              fmt::format("the values of {} agree with those of this mistake: {}", check.name, what));
  }
  if (check.first_wrong_tile) {
    facts.add(*check.first_wrong_tile == 0 ? "stage.from_first_tile" : "stage.from_later_tile",
              fmt::format("{} is wrong from tile {} on", check.name, *check.first_wrong_tile));
  }
  if (check.constant_ratio)
    facts.add("stage.constant_ratio",
              fmt::format("{} is {:.4g} times what it should be", check.name, *check.constant_ratio));
  if (check.ratio_by_row)
    facts.add("stage.ratio_by_row",
              fmt::format("each row of {} is off by a factor of its own, the same for all its elements",
                          check.name));
  if (check.constant_value && check.formula == "attention_running_max")
    facts.add("stage.constant_maximum",
              fmt::format("{} is {:.6g} wherever it is wrong", check.name, *check.constant_value));
  if (check.unmasked > 0)
    facts.add("stage.unmasked",
              fmt::format("{} elements of {} that the mask must hide", check.unmasked, check.name));
  if (check.overmasked > 0)
    facts.add("stage.overmasked",
              fmt::format("{} elements of {} hidden that must not be", check.overmasked, check.name));
  if (check.not_computed > 0)
    facts.add("stage.not_computed", fmt::format("{} elements of {} never computed: {}", check.not_computed,
                                                check.name, check.pattern.text));
  const bool coarse =
      check.non_finite > 0 || check.not_computed > 0 || check.unmasked > 0 || check.overmasked > 0;
  if (!coarse && check.relative_frobenius <= small_error)
    facts.add("stage.small_error",
              fmt::format("{} is off by {:.3g} only", check.name, check.relative_frobenius));
}

/// The factor that a grown maximum asks for goes into the sum of the weights and into the accumulator, and
/// into nothing else: with both wrong, and the weights right, it is the factor rather than two uses.
void add_shared_factor(const TileReport& report, Facts& facts) {
  const auto state = [&](std::string_view formula) {
    const auto found = std::find_if(report.tiles.begin(), report.tiles.end(),
                                    [&](const Tile& tile) { return tile.check.formula == formula; });
    return found == report.tiles.end() ? std::optional<bool>() : std::optional(found->check.right);
  };
  if (state("attention_weights") != true || state("attention_running_sum") != false ||
      state("attention_accumulator") != false)
    return;
  facts.add("stage.every_use_wrong", "sum and accumulator are both wrong, and the weights right");
}

}  // namespace

void add_tile_facts(const TileReport& report, Facts& facts) {
  if (report.tiles.empty()) return;
  const Tile* first = report.first_divergent();
  if (!report.hooks) facts.add("stage.no_hooks", "the source has no EVO_PROBE hooks");
  for (const Tile& tile : report.tiles) {
    const StageCheck& check = tile.check;
    if (check.non_finite > 0 && check.first_non_finite) {
      facts.add("stage.non_finite", fmt::format("NaN or infinity first in {} at [{}, {}]", check.name,
                                                (*check.first_non_finite)[0], (*check.first_non_finite)[1]));
    }
    if (check.formula.empty()) continue;
    if (check.right) facts.add("right." + check.formula, fmt::format("stage {} is right", check.name));
    add_accuracy(check, facts);
    // Weights go into a product of halves in any tensor-core kernel; logits do not.
    if (check.half_values && check.formula == "attention_scores") {
      facts.add("stage.half_values",
                fmt::format("every value of {} is one that FP16 holds: it is kept in FP16", check.name));
    }
  }
  add_shared_factor(report, facts);
  if (first == nullptr) return;
  facts.add("pattern." + first->check.pattern.name,
            fmt::format("{}: {}", first->check.name, first->check.pattern.text));
  if (!first->check.formula.empty()) {
    add_first_divergent(*first, facts);
  } else if (report.hooks && report.tiles.size() > 1 && !report.tiles.front().check.formula.empty()) {
    facts.add("stage.all_right", "all stages before the output are right");
  }
}

}  // namespace evo::diagnose
