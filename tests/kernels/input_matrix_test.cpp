// What each input set of attention is for: a fault that normal data hides, or that most other sets hide, must
// be refused on it.
#include <gtest/gtest.h>

#include <set>

#include "tests/kernels/attention_emulation.hpp"

namespace evo::tests {
namespace {

constexpr float infinity = Fault::infinity;

struct Story {
  const char* set;  ///< that shows the fault
  Fault fault;
  std::vector<const char*> hidden_on;
  bool causal = false;
};

std::vector<Story> stories() {
  return {
      {"normal", {.counts_tail = true}, {"permutation_probe", "large_logits"}},
      {"large_logits", {.subtracts_maximum = false, .weights_in_half = true}, {"normal", "ones_v"}},
      {"key_norm_rising", {.keeps_first_maximum = true, .largest_weight = 148}, {"normal", "ones_v"}},
      {"key_norm_falling", {.leaves_out_below = 4}, {"normal", "ones_v"}},
      {"ones_v",
       {.normaliser = 1 - 2.7e-4F},
       {"normal", "key_norm_rising", "key_norm_falling", "negative_logits"}},
      {"negative_logits",
       {.maximum_starts_at = 0},
       {"normal", "large_logits", "key_norm_rising", "key_norm_falling", "ones_v", "permutation_probe"}},
      {"extreme_logits",
       {.maximum_starts_at = -1e4F},
       {"normal", "large_logits", "key_norm_rising", "key_norm_falling", "ones_v", "negative_logits",
        "permutation_probe"}},
      {"permutation_probe",
       {.normaliser = 1 + 3e-4F},
       {"normal", "key_norm_rising", "key_norm_falling", "ones_v", "negative_logits"}},
      {"shift_probe", {.further_keys = 1}, {"ones_v"}, true},
      {"spike", {.keeps_first_maximum = true}, {"normal", "spike_half"}},
      {"staircase", {.keeps_first_maximum = true}, {"normal", "ones_v"}},
      {"spike_half", {.keeps_first_maximum = true, .weights_in_half = true}, {"normal", "ones_v"}},
      {"staircase_half", {.keeps_first_maximum = true, .weights_in_half = true}, {"normal", "ones_v"}},
      {"sink", {.leaves_out_below = 7.5}, {"normal", "ones_v", "permutation_probe"}},
  };
}

class InputMatrix : public testing::Test {
 protected:
  [[nodiscard]] std::string refusal(const std::string& name, const Fault& fault, bool causal) const {
    for (const model::InputSet& set : problem_.input_sets) {
      if (set.name == name) return Emulation(problem_, set, causal).refusal(fault);
    }
    return "problem.yaml has no input set " + name;
  }
  model::Problem problem_ = shipped_problem("attention_forward");
};

TEST_F(InputMatrix, ARightKernelPassesOnEverySet) {
  for (const model::InputSet& set : problem_.input_sets) {
    for (const bool causal : {false, true})
      EXPECT_EQ(Emulation(problem_, set, causal).refusal({}), "") << set.name << " " << causal;
  }
}

TEST_F(InputMatrix, EverySetHasAFaultThatItShowsAndOthersHide) {
  std::set<std::string> declared, told;
  for (const model::InputSet& set : problem_.input_sets) declared.insert(set.name);
  for (const Story& story : stories()) {
    told.insert(story.set);
    EXPECT_NE(refusal(story.set, story.fault, story.causal), "") << story.set;
    for (const char* other : story.hidden_on)
      EXPECT_EQ(refusal(other, story.fault, story.causal), "")
          << "the fault of " << story.set << " on " << other;
  }
  EXPECT_EQ(told, declared);
}

}  // namespace
}  // namespace evo::tests
