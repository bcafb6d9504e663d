#include "packs/attention/references.hpp"

#include <array>

#include "evaluators/oracle/named.hpp"

namespace evo::packs::attention {
namespace {

constexpr std::array scores_mistakes{
    Hypothesis{"unscaled", "the logits are not multiplied by the softmax scale"},
    Hypothesis{"scaled_twice", "the logits are multiplied by the softmax scale twice"},
    Hypothesis{"mask_early", "the causal mask hides the diagonal too: key < query in place of key <= query"},
    Hypothesis{"mask_late", "the causal mask lets one key too many through: key <= query + 1"},
    Hypothesis{"unmasked", "the causal mask is not applied"},
};
constexpr std::array max_mistakes{
    Hypothesis{"frozen", "the running maximum stays that of the first tile"},
    Hypothesis{"own_tile_only", "the maximum is that of the tile alone; earlier tiles do not take part"},
    Hypothesis{"zero", "no maximum is subtracted, or it is held at 0"},
    Hypothesis{"clamped", "the maximum starts from 0 in place of minus infinity"},
};
constexpr std::array weights_mistakes{
    Hypothesis{"base_two", "2^x is taken where the logits are not multiplied by log2(e)"},
    Hypothesis{"unshifted", "the maximum is not subtracted"},
    Hypothesis{"clamped", "0 is subtracted where the maximum is negative"},
    Hypothesis{"unscaled", "logits and maximum are not multiplied by the softmax scale"},
    Hypothesis{"scaled_twice", "logits and maximum are multiplied by the softmax scale twice"},
    Hypothesis{"quadratic", "the exponential is a polynomial of degree 2"},
};
constexpr std::array sum_mistakes{
    Hypothesis{"not_rescaled", "the running sum is not multiplied by exp(old maximum - new maximum)"},
    Hypothesis{"inverted", "the running sum is multiplied by exp(new maximum - old maximum), the inverse"},
    Hypothesis{"own_tile_only", "the sum of earlier tiles is lost"},
};
constexpr std::array accumulator_mistakes{
    Hypothesis{"not_rescaled", "the accumulator is not multiplied by exp(old maximum - new maximum)"},
    Hypothesis{"inverted", "the accumulator is multiplied by exp(new maximum - old maximum), the inverse"},
    Hypothesis{"own_tile_only", "the sum of earlier tiles is lost"},
    Hypothesis{"previous_v", "P is multiplied with the V of the tile before"},
    Hypothesis{"next_v", "P is multiplied with the V of the tile after"},
};

constexpr std::array formulas{
    StageFormula{"attention_scores", "scale * Q K^T, minus infinity where masked: [seq, seq]",
                 scores_mistakes, &attention_scores},
    StageFormula{"attention_running_max", "largest logit of a row up to the end of each tile: [seq, tiles]",
                 max_mistakes, &attention_running_max},
    StageFormula{"attention_weights", "exp(logit - running maximum): [seq, seq]", weights_mistakes,
                 &attention_weights},
    StageFormula{"attention_running_sum", "sum of the weights up to the end of each tile: [seq, tiles]",
                 sum_mistakes, &attention_running_sum},
    StageFormula{"attention_accumulator",
                 "P V up to the end of each tile, before it is normalised: [seq, tiles * head_dim]",
                 accumulator_mistakes, &attention_accumulator},
};

}  // namespace

std::span<const StageFormula> stage_formulas() {
  return formulas;
}

}  // namespace evo::packs::attention
