// The accuracy class of attention that follows FlashAttention's rule: S in FP16 passes wherever the data
// makes it err, also where no fixed bound could let it through, and seeded faults do not.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/kernels/attention_emulation.hpp"

namespace evo::tests {
namespace {

constexpr auto log2e = std::numbers::log2e_v<float>;
constexpr const char* class_2x = "fp16-softmax-2x";

Fault in_half(float unit, Fault fault = {}) {
  fault.scores_in_half = true;
  fault.weights_in_half = true;
  fault.score_unit = unit;
  return fault;
}

class ReferenceFactorClass : public testing::Test {
 protected:
  [[nodiscard]] const model::InputSet& set(const std::string& name) const {
    for (const model::InputSet& one : problem_.input_sets) {
      if (one.name == name) return one;
    }
    throw std::runtime_error("problem.yaml has no input set " + name);
  }
  [[nodiscard]] std::string refusal(const std::string& name, const Fault& fault,
                                    const char* accuracy = class_2x, bool causal = false) const {
    return Emulation(problem_, set(name), causal, accuracy, 100).refusal(fault);
  }
  model::Problem problem_ = shipped_problem("attention_forward");
};

TEST_F(ReferenceFactorClass, HasNegativeLogitsInItsDomain) {
  const model::Tolerance& tolerance = *problem_.find_tolerance(class_2x);
  ASSERT_TRUE(tolerance.reference_factor);
  EXPECT_EQ(tolerance.reference_factor->factor, 2);
  const auto& sets = tolerance.input_sets;
  EXPECT_NE(std::find(sets.begin(), sets.end(), "negative_logits"), sets.end());
}

TEST_F(ReferenceFactorClass, SInHalfPassesOnEverySetInEitherUnit) {
  for (const std::string& name : problem_.find_tolerance(class_2x)->input_sets) {
    for (const bool causal : {false, true}) {
      for (const int seq : {1, 17, 129}) {
        for (const std::uint64_t seed : {1U, 2U}) {
          const Emulation emulation(problem_, set(name), causal, class_2x, seq, seed);
          for (const Fault& correct : {Fault{}, in_half(1), in_half(log2e)}) {
            const oracle::Comparison result = emulation.judge(correct);
            EXPECT_TRUE(result.pass) << name << " " << causal << " " << seq << " " << seed << ": "
                                     << result.text("O");
          }
        }
      }
    }
  }
}

TEST_F(ReferenceFactorClass, NoFixedBoundServesBothKindsOfData) {
  EXPECT_EQ(refusal("negative_logits", in_half(1), "fp16-softmax"), "mismatch");
  EXPECT_EQ(refusal("negative_logits", in_half(1)), "");
  // What the fixed bound has to let through elsewhere:
  EXPECT_EQ(refusal("normal", in_half(1, {.quadratic_exponential = true}), "fp16-softmax"), "");
  EXPECT_EQ(refusal("normal", in_half(1, {.quadratic_exponential = true})), "mismatch");
}

TEST_F(ReferenceFactorClass, SeededFaultsFail) {
  for (const bool causal : {false, true}) {
    for (const float unit : {1.0F, log2e}) {
      for (const Fault& fault :
           {Fault{.left_out_key = 40}, Fault{.quadratic_exponential = true}, Fault{.rescales = false}}) {
        EXPECT_EQ(refusal("normal", fault, class_2x, causal), "mismatch");
        EXPECT_EQ(refusal("normal", in_half(unit, fault), class_2x, causal), "mismatch");
      }
    }
  }
}

TEST_F(ReferenceFactorClass, OnNegativeLogitsGrossFaultsFail) {
  EXPECT_NE(refusal("negative_logits", in_half(1, {.maximum_starts_at = 0})), "");
  EXPECT_NE(refusal("negative_logits", in_half(1, {.subtracts_maximum = false})), "");
  EXPECT_NE(refusal("negative_logits", in_half(1, {.counts_tail = true})), "");
}

TEST_F(ReferenceFactorClass, AMaximumAloneWouldLetADegreeOf2Through) {
  int within_the_largest = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Emulation emulation(problem_, set("normal"), false, class_2x, 100, seed);
    const oracle::Comparison result = emulation.judge(in_half(1, {.quadratic_exponential = true}));
    ASSERT_TRUE(result.allowed);
    within_the_largest += result.error_largest <= result.allowed->largest ? 1 : 0;
    EXPECT_GT(result.error_rms, result.allowed->rms) << seed;
  }
  EXPECT_GT(within_the_largest, 0);
}

}  // namespace
}  // namespace evo::tests
