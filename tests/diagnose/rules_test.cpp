// Every rule wins on what its cause would show, and is not stated on something else.
#include "diagnose/rules.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/stages.hpp"
#include "model/error.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"

namespace evo::diagnose {
namespace {

using Names = std::vector<std::string>;

/// As a diagnosis of attention weighs them.
const std::vector<Rule>& attention_rules() {
  static const std::vector<Rule> all = rule_base(tests::shipped_problem("attention_forward").causes.rules);
  return all;
}

Facts facts_of(const Names& names) {
  Facts facts;
  for (const std::string& name : names) facts.add(name, name);
  return facts;
}

std::string winner(const Names& names) {
  const std::vector<Cause> causes = weigh(facts_of(names), attention_rules());
  return causes.empty() ? "nothing" : std::string(causes.front().rule->name);
}

struct Sample {
  std::string rule;
  Names wins;      ///< this rule comes first
  Names not_this;  ///< another one (or none) comes first
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"does_not_compile", {"compile.failed"}, {"launch.refused"}},
      {"launch_refused", {"launch.refused"}, {"compile.failed"}},
      {"misaligned_shared_pitch",
       {"finding.misaligned", "space.shared", "alignment.any_base", "misaligned.lane_stride"},
       {"finding.misaligned", "space.global", "axis.layout_needed", "alignment.base_dependent"}},
      {"misaligned_global_row",
       {"finding.misaligned", "space.global", "axis.layout_needed", "alignment.base_dependent"},
       {"finding.misaligned", "space.shared", "alignment.any_base"}},
      {"tail_access_out_of_bounds",
       {"finding.out_of_bounds", "space.global", "shape.tail_only"},
       {"finding.out_of_bounds", "space.shared", "shape.tail_or_not"}},
      {"index_out_of_bounds",
       {"finding.out_of_bounds", "space.shared", "shape.tail_or_not"},
       {"finding.out_of_bounds", "space.global", "shape.tail_only"}},
      {"trap", {"finding.trap"}, {"finding.hang"}},
      {"unsupported_instruction", {"finding.unsupported"}, {"finding.trap"}},
      {"barrier_not_reached", {"finding.barrier_divergence"}, {"finding.hang"}},
      {"endless_loop", {"finding.hang"}, {"finding.hang", "finding.barrier_divergence"}},
      {"wrong_shuffle_mask", {"finding.shuffle_mask"}, {"finding.race_shared", "race.across_warps"}},
      {"missing_barrier",
       {"finding.race_shared", "space.shared", "race.across_warps", "genes.sync_weakened"},
       {"finding.race_shared", "space.shared", "race.within_warp"}},
      {"missing_warp_barrier",
       {"finding.race_shared", "space.shared", "race.within_warp"},
       {"finding.race_shared", "space.shared", "race.across_warps"}},
      {"global_race",
       {"finding.race_global", "race.across_blocks", "access.output"},
       {"finding.race_global", "race.across_blocks", "access.output", "genes.single"}},
      {"missing_atomic",
       {"finding.race_shared", "race.within_warp", "heals.atomic"},
       {"finding.race_shared", "race.within_warp", "repair.warp_barrier_heals"}},
      {"missing_fence",
       {"finding.race_global", "race.across_blocks", "race.read_and_write", "heals.fence"},
       {"finding.race_global", "race.across_blocks", "race.read_and_write"}},
      {"async_copy_not_waited",
       {"finding.async_not_waited", "finding.race_shared", "race.across_warps"},
       {"finding.race_shared", "race.across_warps"}},
      {"missing_proxy_fence", {"finding.proxy_fence"}, {"finding.async_not_waited"}},
      {"missing_wgmma_fence", {"finding.wgmma_fence"}, {"finding.async_not_waited"}},
      {"order_dependent", {"wrong.mismatch", "orders.differ"}, {"finding.race_global", "orders.differ"}},
      {"state_left_in_module",
       {"wrong.unwritten", "repeat.later_fails", "repeat.reload_heals"},
       {"repeat.later_fails", "repeat.zero_workspace_heals", "workspace.zero_heals"}},
      {"state_left_in_workspace",
       {"repeat.later_fails", "repeat.zero_workspace_heals", "workspace.zero_heals", "finding.uninitialized",
        "access.workspace"},
       {"finding.uninitialized", "access.workspace", "workspace.zero_heals"}},
      {"workspace_not_initialised",
       {"finding.uninitialized", "access.workspace", "workspace.zero_heals", "space.global"},
       {"finding.uninitialized", "space.shared"}},
      {"uninitialised_shared",
       {"finding.uninitialized", "space.shared"},
       {"finding.uninitialized", "space.global", "access.output"}},
      {"uninitialised_read",
       {"finding.uninitialized", "space.global", "access.output", "poison.shows"},
       {"finding.uninitialized", "space.shared"}},
      {"hidden_gene_assumption",
       {"wrong.unwritten", "genes.responsible", "genes.single", "pattern.last_rows"},
       {"finding.race_shared", "race.across_warps", "genes.responsible", "genes.sync_weakened"}},
      {"output_not_covered", {"wrong.unwritten", "pattern.last_rows"}, {"wrong.unwritten", "genes.single"}},
      {"wrong_store_place", {"wrong.gap_overwritten"}, {"wrong.unwritten"}},
      {"overlapping_rows",
       {"finding.race_shared", "race.across_warps", "repair.no_barrier_heals"},
       {"finding.race_shared", "race.async_copy", "repair.no_barrier_heals"}},
      {"input_overwritten", {"wrong.input_modified"}, {"wrong.mismatch"}},
      {"stride_ignored",
       {"wrong.mismatch", "axis.layout_needed", "diverges.attention_scores", "error.large"},
       {"finding.misaligned", "space.global", "axis.layout_needed"}},
      {"tail_not_masked",
       {"wrong.mismatch", "shape.tail_only", "diverges.attention_running_sum", "right.attention_scores"},
       {"wrong.mismatch", "shape.tail_or_not", "diverges.attention_running_sum", "stage.from_first_tile"}},
      {"causal_mask",
       {"wrong.mismatch", "axis.flag_needed", "stage.unmasked", "diverges.attention_scores",
        "match.attention_scores.mask_late"},
       {"wrong.mismatch", "axis.flag_needed", "right.attention_scores", "diverges.attention_accumulator",
        "stage.from_first_tile"}},
      {"keys_dropped",
       {"wrong.mismatch", "stage.not_computed", "diverges.attention_scores", "pattern.last_columns"},
       {"wrong.mismatch", "diverges.attention_scores", "stage.constant_ratio", "stage.not_computed"}},
      {"wrong_scale",
       {"wrong.mismatch", "diverges.attention_scores", "stage.constant_ratio",
        "match.attention_scores.unscaled"},
       {"wrong.mismatch", "diverges.attention_scores"}},
      {"wrong_product_qk",
       {"wrong.mismatch", "diverges.attention_scores", "error.large"},
       {"wrong.mismatch", "diverges.attention_scores", "stage.constant_ratio"}},
      {"maximum_not_subtracted",
       {"wrong.non_finite", "diverges.attention_running_max", "match.attention_running_max.frozen",
        "set.large_logits.fails"},
       {"wrong.mismatch", "diverges.attention_running_max", "match.attention_running_max.clamped",
        "set.negative_logits.fails", "set.normal.passes"}},
      {"maximum_clamped",
       {"wrong.non_finite", "diverges.attention_running_max", "match.attention_running_max.clamped",
        "set.negative_logits.fails", "set.normal.passes"},
       {"wrong.non_finite", "right.attention_running_max", "set.negative_logits.fails", "set.normal.fails"}},
      {"row_maximum_incomplete",
       {"wrong.mismatch", "diverges.attention_running_max", "stage.from_first_tile"},
       {"wrong.mismatch", "diverges.attention_running_max", "match.attention_running_max.own_tile_only",
        "stage.from_later_tile"}},
      {"maximum_not_carried",
       {"wrong.mismatch", "diverges.attention_running_max", "match.attention_running_max.own_tile_only",
        "stage.from_later_tile", "shape.several_tiles_only"},
       {"wrong.mismatch", "diverges.attention_running_max", "stage.from_first_tile"}},
      {"row_sum_incomplete",
       {"wrong.mismatch", "diverges.attention_running_sum", "stage.from_first_tile", "shape.single_tile_too"},
       {"wrong.mismatch", "diverges.attention_running_sum", "match.attention_running_sum.inverted",
        "stage.from_later_tile"}},
      {"sum_not_rescaled",
       {"wrong.mismatch", "diverges.attention_running_sum", "match.attention_running_sum.not_rescaled",
        "stage.from_later_tile", "shape.several_tiles_only"},
       {"wrong.mismatch", "diverges.attention_running_sum", "stage.from_first_tile"}},
      {"output_not_rescaled",
       {"wrong.mismatch", "diverges.attention_accumulator", "match.attention_accumulator.not_rescaled",
        "stage.from_later_tile", "shape.several_tiles_only"},
       {"wrong.mismatch", "diverges.attention_accumulator", "stage.from_first_tile"}},
      {"stale_v_tile",
       {"wrong.mismatch", "diverges.attention_accumulator", "match.attention_accumulator.previous_v",
        "stage.from_later_tile", "shape.several_tiles_only"},
       {"wrong.mismatch", "diverges.attention_accumulator", "match.attention_accumulator.not_rescaled"}},
      {"wrong_product_pv",
       {"wrong.mismatch", "diverges.attention_accumulator", "stage.from_first_tile", "set.ones_v.passes"},
       {"wrong.mismatch", "diverges.attention_accumulator", "match.attention_accumulator.inverted"}},
      {"wrong_exponential",
       {"wrong.mismatch", "diverges.attention_weights", "error.large"},
       {"wrong.mismatch", "diverges.attention_weights", "match.attention_weights.quadratic",
        "stage.small_error", "error.small"}},
      {"wrong_epilogue",
       {"wrong.mismatch", "stage.all_right"},
       {"wrong.mismatch", "stage.all_right", "axis.layout_needed", "axis.extent_needed"}},
      {"wrong_softmax_unlocated",
       {"wrong.mismatch", "shape.several_tiles_only", "stage.no_hooks", "error.large"},
       {"wrong.mismatch", "stage.no_hooks", "error.small"}},
      {"storage_precision",
       {"wrong.mismatch", "error.small", "stage.half_values", "stage.small_error",
        "diverges.attention_weights"},
       {"wrong.mismatch", "error.large", "stage.half_values", "diverges.attention_scores"}},
      {"infinity_minus_infinity",
       {"wrong.non_finite", "stage.non_finite", "axis.flag_needed", "right.attention_scores",
        "set.normal.fails"},
       {"wrong.non_finite", "stage.non_finite", "set.normal.passes", "diverges.attention_running_max",
        "match.attention_running_max.frozen"}},
      {"approximate_exponential",
       {"wrong.mismatch", "error.small", "stage.small_error", "diverges.attention_weights",
        "match.attention_weights.quadratic", "right.attention_scores"},
       {"wrong.mismatch", "error.small", "stage.small_error", "diverges.attention_weights",
        "stage.half_values"}},
      {"integer_overflow",
       {"wrong.gap_overwritten", "axis.layout_needed", "axis.far_needed", "heals.width", "stage.no_hooks"},
       {"wrong.gap_overwritten", "axis.layout_needed", "heals.index", "stage.no_hooks"}},
      {"wrong_operand",
       {"wrong.mismatch", "stage.no_hooks", "answer.inputs_exchanged", "heals.arguments"},
       {"wrong.mismatch", "stage.no_hooks", "answer.input_tile_repeated", "heals.operand"}},
      {"wrong_index",
       {"wrong.mismatch", "stage.no_hooks", "answer.input_tile_repeated", "heals.operand", "at.input"},
       {"wrong.mismatch", "stage.no_hooks", "answer.inputs_exchanged", "heals.operand"}},
      {"elements_dropped",
       {"wrong.mismatch", "stage.no_hooks", "answer.elements_dropped", "answer.row_factor"},
       {"wrong.mismatch", "stage.no_hooks", "answer.row_factor"}},
      {"wrong_bound",
       {"wrong.mismatch", "stage.no_hooks", "heals.comparison", "at.loop"},
       {"wrong.mismatch", "stage.no_hooks", "heals.comparison", "at.flag", "axis.flag_needed"}},
      {"wrong_expression",
       {"wrong.mismatch", "stage.no_hooks", "heals.arithmetic"},
       {"wrong.mismatch", "stage.no_hooks", "heals.grouping", "answer.input_scaled"}},
      {"wrong_normalisation",
       {"wrong.mismatch", "stage.no_hooks", "answer.not_normalised", "answer.row_factor"},
       {"wrong.mismatch", "stage.no_hooks", "answer.row_factor"}},
      {"not_reset",
       {"wrong.mismatch", "stage.no_hooks", "heals.reset", "genes.single"},
       {"wrong.mismatch", "stage.no_hooks", "genes.single"}},
      {"wrong_order",
       {"wrong.mismatch", "stage.no_hooks", "heals.order"},
       {"wrong.mismatch", "stage.no_hooks", "heals.rescale", "answer.sum_not_rescaled", "at.normaliser"}},
      {"superfluous_step",
       {"wrong.mismatch", "stage.no_hooks", "heals.removal"},
       {"finding.barrier_divergence", "heals.removal", "at.return"}},
      {"cause_unknown",
       {"wrong.mismatch", "stage.no_hooks", "error.large"},
       {"wrong.mismatch", "stage.no_hooks", "answer.scalar_other"}},
  };
  return all;
}

TEST(Rules, EveryRuleHasASample) {
  std::set<std::string> sampled, known;
  for (const Sample& sample : samples()) sampled.insert(sample.rule);
  for (const Rule& rule : attention_rules())
    EXPECT_TRUE(known.insert(std::string(rule.name)).second) << rule.name;
  EXPECT_EQ(sampled, known);
}

TEST(Rules, EachWinsOnItsOwnSigns) {
  for (const Sample& sample : samples()) EXPECT_EQ(winner(sample.wins), sample.rule);
}

TEST(Rules, EachStandsBackOnOthersSigns) {
  for (const Sample& sample : samples()) EXPECT_NE(winner(sample.not_this), sample.rule);
}

TEST(Rules, NothingObservedNothingStated) {
  EXPECT_TRUE(weigh({}, attention_rules()).empty());
}

/// A clue on a formula, hypothesis or input kind that does not exist could never be observed.
TEST(Rules, TestOnFactsThatCanBeObserved) {
  const auto exists = [](const std::string& fact) {
    const auto tail = [&](const std::string& prefix) { return fact.substr(prefix.size()); };
    if (fact.starts_with("diverges."))
      return evo::tests::known().find_stage_formula(tail("diverges.")) != nullptr;
    if (fact.starts_with("right.")) return evo::tests::known().find_stage_formula(tail("right.")) != nullptr;
    if (fact.starts_with("match.")) {
      const std::string rest = tail("match.");
      const auto* formula = evo::tests::known().find_stage_formula(rest.substr(0, rest.find('.')));
      if (!formula) return false;
      for (const auto& hypothesis : formula->hypotheses) {
        if (hypothesis.name == rest.substr(rest.find('.') + 1)) return true;
      }
      return false;
    }
    if (fact.starts_with("set.")) {
      const std::string rest = tail("set.");
      return evo::tests::known().find_input_kind(rest.substr(0, rest.find('.'))) != nullptr;
    }
    return is_fact_name(fact);
  };
  for (const Rule& rule : attention_rules()) {
    for (const auto* clues : {&rule.evidence_for, &rule.evidence_against}) {
      for (const Clue& clue : *clues) {
        EXPECT_TRUE(exists(std::string(clue.fact))) << rule.name << ": " << clue.fact;
        EXPECT_GT(clue.weight, 0) << rule.name << ": " << clue.fact;
      }
    }
    EXPECT_FALSE(rule.needs.empty()) << rule.name;
    for (const std::string& fact : rule.needs)
      EXPECT_TRUE(exists(std::string(fact))) << rule.name << ": " << fact;
    EXPECT_FALSE(rule.remedy.empty()) << rule.name;
  }
}

TEST(Rules, OutputsAloneTellMistakesApart) {
  const auto cause = [](const char* answer) {
    return winner({"wrong.mismatch", "stage.no_hooks", "error.large", std::string("answer.") + answer});
  };
  EXPECT_EQ(cause("scalar_other"), "wrong_scale");
  EXPECT_EQ(cause("output_not_rescaled"), "output_not_rescaled");
  EXPECT_EQ(cause("sum_not_rescaled"), "sum_not_rescaled");
  EXPECT_EQ(cause("unshifted"), "maximum_not_subtracted");
  EXPECT_EQ(cause("maximum_clamped"), "maximum_clamped");
  EXPECT_EQ(cause("maximum_not_carried"), "maximum_not_carried");
  EXPECT_EQ(cause("mask_early"), "causal_mask");
  EXPECT_EQ(cause("flag_ignored"), "causal_mask");
  EXPECT_EQ(cause("padding_counted"), "tail_not_masked");
  EXPECT_EQ(cause("base_two"), "wrong_exponential");
  EXPECT_EQ(cause("row_factor"), "row_sum_incomplete");
  EXPECT_EQ(cause("input_first_slice"), "stride_ignored");
}

TEST(Rules, AFoundChangeTellsLookalikesApart) {
  using N = Names;
  // Rows and columns exchanged in a test leave the last elements out, and unwritten.
  EXPECT_EQ(winner(N{"wrong.unwritten", "pattern.last_rows", "answer.elements_dropped", "stage.no_hooks",
                     "heals.exchange", "at.guard"}),
            "wrong_bound");
  EXPECT_EQ(winner(N{"finding.out_of_bounds", "space.global", "shape.tail_only", "heals.exchange"}),
            "wrong_bound");
  // A step of a reduction over lanes.
  EXPECT_EQ(winner(N{"wrong.mismatch", "stage.no_hooks", "heals.constant", "at.loop", "at.shuffle"}),
            "row_sum_incomplete");
  EXPECT_NE(
      winner(N{"wrong.mismatch", "stage.no_hooks", "heals.constant", "at.loop", "at.shuffle", "at.maximum"}),
      "row_sum_incomplete");
  // A gene's other value keeps a text of one's own from its mistake.
  EXPECT_EQ(winner(N{"wrong.mismatch", "genes.single", "stage.no_hooks", "heals.comparison", "at.loop"}),
            "wrong_bound");
  // Lanes that a shuffle names wait at a barrier; a barrier in a branch is another thing.
  EXPECT_EQ(winner(N{"finding.barrier_divergence", "divergence.shuffle"}), "wrong_shuffle_mask");
  EXPECT_EQ(winner(N{"finding.barrier_divergence", "heals.hoist"}), "barrier_not_reached");
  // Two lanes that write one word, and no barrier mends it.
  EXPECT_EQ(
      winner(N{"finding.race_shared", "race.within_warp", "race.two_writes", "repair.no_barrier_heals"}),
      "overlapping_rows");
  // Another variable keeps an index within its array.
  EXPECT_EQ(winner(N{"finding.out_of_bounds", "shape.tail_or_not", "heals.operand"}), "wrong_index");
  // Points that are read while others write them, in an array of many rows.
  EXPECT_EQ(
      winner(N{"finding.race_global", "race.across_blocks", "race.read_and_write", "axis.extent_needed"}),
      "global_race");
  EXPECT_EQ(winner(N{"finding.race_global", "race.across_blocks", "access.output", "axis.extent_needed"}),
            "stride_ignored");
}

TEST(Rules, AProblemAddsToThoseOfEvo) {
  const std::vector<Rule> own = rule_base();
  const Rule more{"wrong_scale",          {}, {}, "look twice", {"heals.rescale"}, {"scale"},
                  {{"heals.rescale", 9}}, {}};
  const Rule behind{"mine", "arithmetic", "c", "d", {"heals.rescale"}, {}, {{"heals.rescale", 9}}, {}};
  const std::vector<Rule> all = rule_base(std::vector<Rule>{more, behind});
  ASSERT_EQ(all.size(), own.size() + 1);
  const auto at = std::find_if(all.begin(), all.end(), [](const Rule& r) { return r.name == "wrong_scale"; });
  ASSERT_NE(at, all.end());
  EXPECT_EQ(at->remedy, "look twice");
  EXPECT_FALSE(at->cause.empty());
  EXPECT_EQ(at->needs.back(), "heals.rescale");
  EXPECT_EQ(std::next(at)->name, "mine");
  const std::vector<Cause> causes = weigh(facts_of({"heals.rescale"}), all);
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes.front().rule->name, "wrong_scale") << "of equal scores the first is stated";
}

TEST(Rules, OfAProblemAreHeldToTheFactsAndAreWhole) {
  const Rule whole{"mine", "arithmetic", "c", "d", {"heals.rescale"}, {}, {{"heals.rescale", 9}}, {}};
  const auto refused = [&](void (*change)(Rule&)) {
    Rule rule = whole;
    change(rule);
    EXPECT_THROW((void)rule_base(std::vector<Rule>{rule}), model::Exception);
  };
  EXPECT_NO_THROW((void)rule_base(std::vector<Rule>{whole}));
  refused([](Rule& rule) { rule.cause.clear(); });
  refused([](Rule& rule) { rule.remedy.clear(); });
  refused([](Rule& rule) { rule.category.clear(); });
  refused([](Rule& rule) { rule.needs.clear(); });
  refused([](Rule& rule) { rule.needs = {"moon.full"}; });
  refused([](Rule& rule) { rule.evidence_for = {{"moon.full", 1}}; });
  refused([](Rule& rule) { rule.evidence_against = {{"moon.full", 1}}; });
}

TEST(Rules, AnUnknownFactIsRefused) {
  Facts facts;
  EXPECT_THROW(facts.add("the.moon", "is made of cheese"), std::logic_error);
  EXPECT_THROW(facts.add("finding.", "of nothing"), std::logic_error);
}

RC_GTEST_PROP(Rules, AFactAgainstNeverRaisesAScore, ()) {
  const auto index = *rc::gen::inRange<std::size_t>(0, attention_rules().size());
  const Rule& rule = attention_rules()[index];
  RC_PRE(!rule.evidence_against.empty());
  Facts facts;
  for (const Clue& clue : rule.evidence_for) facts.add(clue.fact, "seen");
  const auto score = [&](const Facts& seen) {
    for (const Cause& cause : weigh(seen, attention_rules())) {
      if (cause.rule->name == rule.name) return cause.score;
    }
    return 0;
  };
  const int before = score(facts);
  facts.add(rule.evidence_against[*rc::gen::inRange<std::size_t>(0, rule.evidence_against.size())].fact,
            "seen");
  RC_ASSERT(score(facts) < before);
}

}  // namespace
}  // namespace evo::diagnose
