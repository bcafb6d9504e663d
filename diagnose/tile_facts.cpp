#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/observations.hpp"

namespace evo::diagnose {
namespace {

constexpr double small_error = 0.02;

/// The stage that was checked; one without properties for an output.
const model::Stage& stage_of(const Subject& subject, const StageCheck& check) {
  static const model::Stage none{};
  for (const model::Stage& stage : subject.problem.stages) {
    if (!check.formula.empty() && stage.name == check.name) return stage;
  }
  return none;
}

/// What a kernel keeps in FP32 is accurate within a class that FP16 storage may exceed only further on: how
/// accurate it is says how it is kept.
void add_accuracy(const StageCheck& check, Facts& facts) {
  constexpr double single = 2e-6, half_low = 5e-5, half_high = 2e-3;
  if (!check.correct) return;
  const double error = check.relative_frobenius;
  if (error <= single)
    facts.add("stage.single_accuracy",
              fmt::format("{} is as accurate as FP32 allows: {:.3g}", check.name, error));
  if (error >= half_low && error <= half_high)
    facts.add("stage.half_accuracy",
              fmt::format("{} is as accurate as FP16 allows: {:.3g}", check.name, error));
}

void add_first_divergent(const Subject& subject, const Tile& tile, Facts& facts) {
  const StageCheck& check = tile.check;
  const std::string text = fmt::format("stage {}: {}", check.name, text_of(check));
  facts.add("diverges." + check.formula, text);
  for (const std::string& match : check.matches) {
    std::string what = match;
    if (const auto* formula = subject.known.find_stage_formula(check.formula)) {
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
  if (check.constant_value && stage_of(subject, check).running_maximum)
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

/// All sums of one stage are rescaled by one factor: with all of them wrong, and the stage correct, it is the
/// factor rather than each of its uses.
void add_shared_factor(const Subject& subject, const TileReport& report, Facts& facts) {
  for (const Tile& summed : report.tiles) {
    if (summed.check.formula.empty() || !summed.check.correct) continue;
    std::vector<std::string> sums;
    bool all_wrong = true;
    for (const model::Stage& stage : subject.problem.stages) {
      if (stage.sums != summed.check.name) continue;
      sums.push_back(stage.name);
      const auto shown = std::find_if(report.tiles.begin(), report.tiles.end(),
                                      [&](const Tile& tile) { return tile.check.name == stage.name; });
      all_wrong = all_wrong && shown != report.tiles.end() && !shown->check.correct;
    }
    if (sums.size() < 2 || !all_wrong) continue;
    facts.add("stage.every_use_wrong", fmt::format("all sums of {} ({}) are wrong, and it is correct",
                                                   summed.check.name, fmt::join(sums, ", ")));
  }
}

}  // namespace

void add_tile_facts(const Subject& subject, const TileReport& report, Facts& facts) {
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
    if (check.correct) facts.add("right." + check.formula, fmt::format("stage {} is correct", check.name));
    // What goes into a product of halves is in FP16 in any tensor-core kernel.
    if (!stage_of(subject, check).kept_single) continue;
    add_accuracy(check, facts);
    if (check.half_values) {
      facts.add("stage.half_values",
                fmt::format("every value of {} is one that FP16 holds: it is kept in FP16", check.name));
    }
  }
  add_shared_factor(subject, report, facts);
  if (first == nullptr) return;
  facts.add("pattern." + first->check.pattern.name,
            fmt::format("{}: {}", first->check.name, first->check.pattern.text));
  if (!first->check.formula.empty()) {
    add_first_divergent(subject, *first, facts);
  } else if (report.hooks && report.tiles.size() > 1 && !report.tiles.front().check.formula.empty()) {
    facts.add("stage.all_right", "all stages before the output are correct");
  }
}

}  // namespace evo::diagnose
