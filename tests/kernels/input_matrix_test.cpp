// What each input set of attention is for: a fault that normal data hides, or that most other sets hide, must
// be refused on it. The kernel is an emulation in FP32, tile by tile, with one fault at a time; data, judging
// rule and bounds are those that problem.yaml declares.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "tests/kernels/shipped.hpp"

namespace evo::tests {
namespace {

namespace oracle = evaluators::oracle;

constexpr int tile = 16;
constexpr int dim = 64;
constexpr float infinity = std::numeric_limits<float>::infinity();

struct Fault {
  bool subtracts_maximum = true;
  bool keeps_first_maximum = false;
  bool weights_in_half = false;
  float maximum_starts_at = -infinity;
  float leaves_out_below = infinity;  ///< tiles whose maximum is this far below the running one
  float largest_weight = infinity;    ///< where an exponential of limited range ends
  float normaliser = 1;
  int further_keys = 0;      ///< that a causal row sees
  bool counts_tail = false;  ///< keys past the end, as zeros
};

float scaled_dot(const double* q, const double* k, float scale) {
  float lanes[8] = {};
  for (int d = 0; d < dim; ++d) lanes[d % 8] += static_cast<float>(q[d]) * static_cast<float>(k[d]);
  return (((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))) *
         scale;
}

class Emulation {
 public:
  Emulation(const model::Problem& problem, const model::InputSet& set, bool causal)
      : problem_(problem), set_(set) {
    const model::Space space = bound_space(problem, "scalar", dim);
    model::Workload shape{"w", 1, {{"batch", 1}, {"heads", 2}, {"seq", 50}, {"head_dim", dim}}};
    for (const auto& [axis, value] : {std::pair{"causal", causal ? 1 : 0}, {"layout", 0}, {"far", 0}})
      shape.axes[axis] = value;
    case_ =
        model::bind_case(problem, *problem.find_template("scalar"), space, space.initial(), shape).value();
    inputs_ = oracle::make_inputs(case_, set, {.seed = 11}).value();
    reference_ = oracle::find_oracle(problem.oracle)->compute(case_, inputs_).value();
  }

  /// "" if a kernel with the fault would pass, else the comparison's reason.
  [[nodiscard]] std::string refusal(const Fault& fault) const {
    const std::vector<double> q = load(0), k = load(1), v = load(2);
    const model::BoundArgument& output = case_.arguments[3];
    std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(output)));
    for (std::size_t row = 0; row < q.size() / dim; ++row) {
      const std::vector<float> values = attend(fault, q, k, v, row);
      for (std::size_t d = 0; d < dim; ++d)
        oracle::store_element(output.dtype, values[d], &bytes[2 * (row * dim + d)]);
    }
    oracle::CompareOptions options{problem_.tolerances.front(), oracle::wants_exact(set_), std::nullopt};
    options.tolerance.relative_frobenius *= oracle::tolerance_factor(set_);
    options.tolerance.max_abs_over_rms *= oracle::tolerance_factor(set_);
    return oracle::compare(output, bytes, reference_[3], options).reason;
  }

 private:
  [[nodiscard]] std::vector<double> load(std::size_t i) const {
    return oracle::load_array(case_.arguments[i], inputs_[i]);
  }
  [[nodiscard]] std::vector<float> attend(const Fault& fault, const std::vector<double>& q,
                                          const std::vector<double>& k, const std::vector<double>& v,
                                          std::size_t row) const {
    const int seq = 50, query = static_cast<int>(row) % seq;
    const std::size_t head = (row - static_cast<std::size_t>(query)) * dim;
    const bool causal = case_.axes.at("causal") != 0;
    const int seen = causal ? std::min(seq, query + 1 + fault.further_keys) : seq;
    float top = fault.maximum_starts_at, sum = 0;
    std::vector<float> out(dim, 0.0F);
    for (int first = 0; first < seen; first += tile) {
      float logits[tile], tile_top = -infinity;
      for (int j = 0; j < tile; ++j) {
        const int key = first + j;
        logits[j] = key < seen
                        ? scaled_dot(&q[row * dim], &k[head + static_cast<std::size_t>(key) * dim], 0.125F)
                    : fault.counts_tail && key >= seq ? 0.0F
                                                      : -infinity;
        tile_top = std::max(tile_top, logits[j]);
      }
      if (tile_top < top - fault.leaves_out_below) continue;
      const float before = top;
      if (!fault.subtracts_maximum) {
        top = 0;
      } else if (!fault.keeps_first_maximum || first == 0) {
        top = std::max(top, tile_top);
      }
      const float alpha = std::isinf(before) ? 0.0F : std::exp(before - top);
      sum *= alpha;
      for (float& value : out) value *= alpha;
      for (int j = 0; j < tile; ++j) {
        float weight = std::exp(logits[j] - top);
        if (fault.weights_in_half)
          weight = static_cast<float>(oracle::double_from_half(oracle::half_from_double(weight)));
        weight = std::min(weight, fault.largest_weight);
        sum += weight;
        if (first + j >= seq) continue;  // V is zero there
        for (int d = 0; d < dim; ++d) {
          const double value = v[head + static_cast<std::size_t>((first + j) * dim + d)];
          out[static_cast<std::size_t>(d)] += weight * static_cast<float>(value);
        }
      }
    }
    for (float& value : out) value = value / sum * fault.normaliser;
    return out;
  }

  const model::Problem& problem_;
  const model::InputSet& set_;
  model::Case case_;
  oracle::InputBuffers inputs_;
  oracle::ReferenceOutputs reference_;
};

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
