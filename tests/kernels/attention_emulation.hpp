// Attention as a tiled FP32 kernel computes it, on the host, with one fault or one way of storing S at a
// time; data, rule of comparison and bounds are those that problem.yaml declares.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/plain_errors.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"

namespace evo::tests {

struct Fault {
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  bool subtracts_maximum = true;
  bool keeps_first_maximum = false;
  bool weights_in_half = false;
  float maximum_starts_at = -infinity;
  float leaves_out_below = infinity;  ///< tiles whose maximum is this far below the running one
  float largest_weight = infinity;    ///< where an exponential of limited range ends
  float normaliser = 1;
  int further_keys = 0;      ///< that a causal row sees
  bool counts_tail = false;  ///< keys past the end, as zeros
  bool scores_in_half = false;
  float score_unit = 1;  ///< of the scores that are stored: 1, or log2(e)
  int left_out_key = -1;
  bool quadratic_exponential = false;  ///< 2^x between whole numbers as a polynomial of degree 2
  bool rescales = true;                ///< O, where the maximum grows
};

inline float through_half(float value) {
  return static_cast<float>(
      evaluators::oracle::double_from_half(evaluators::oracle::half_from_double(value)));
}

/// The parabola through 2^0, 2^0.5 and 2^1.
inline float quadratic_exp(float x) {
  const float power = x * 1.44269504F;
  if (!(power > -126)) return 0;
  const float whole = std::floor(power), rest = power - whole;
  return std::ldexp(1 + rest * (0.65685425F + rest * 0.34314575F), static_cast<int>(whole));
}

inline float scaled_dot(const double* q, const double* k, int dim, float scale) {
  float lanes[8] = {};
  for (int d = 0; d < dim; ++d) lanes[d % 8] += static_cast<float>(q[d]) * static_cast<float>(k[d]);
  return (((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))) *
         scale;
}

namespace oracle = evaluators::oracle;

class Emulation {
 public:
  static constexpr int tile = 16, dim = 64;
  static constexpr float infinity = Fault::infinity;

  Emulation(const model::Problem& problem, const model::InputSet& set, bool causal,
            const std::string& accuracy_class = "fp32-softmax", int seq = 50, std::uint64_t seed = 11)
      : tolerance_(*problem.find_tolerance(accuracy_class)), set_(set), seq_(seq) {
    const model::Space space = bound_space(problem, "scalar", dim);
    model::Workload shape{"w", 1, {{"batch", 1}, {"heads", 2}, {"seq", seq}, {"head_dim", dim}}};
    for (const auto& [axis, value] : {std::pair{"causal", causal ? 1 : 0}, {"layout", 0}, {"far", 0}})
      shape.axes[axis] = value;
    case_ =
        model::bind_case(problem, *problem.find_template("scalar"), space, space.initial(), shape).value();
    inputs_ = oracle::make_inputs(evo::tests::known(), case_, set, {.seed = seed}).value();
    const oracle::Oracle& exact = *evo::tests::known().find_oracle(problem.oracle);
    reference_.outputs = exact.compute(case_, inputs_).value();
    reference_.rules = oracle::rules_of(evo::tests::known(), set);
    if (tolerance_.reference_factor)
      reference_.plain_errors = oracle::measure_plain(exact, case_, inputs_, reference_).value();
  }

  /// What the comparison says of a kernel with the fault.
  [[nodiscard]] oracle::Comparison judge(const Fault& fault) const {
    const std::vector<double> q = load(0), k = load(1), v = load(2);
    const model::BoundArgument& output = case_.arguments[3];
    std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(output)));
    for (std::size_t row = 0; row < q.size() / dim; ++row) {
      const std::vector<float> values = attend(fault, q, k, v, row);
      for (std::size_t d = 0; d < dim; ++d)
        oracle::store_element(output.dtype, values[d], &bytes[2 * (row * dim + d)]);
    }
    return oracle::compare(output, bytes, reference_.outputs[3],
                           oracle::options_for(tolerance_, reference_, 3));
  }
  /// "" if it would pass, else the comparison's reason.
  [[nodiscard]] std::string refusal(const Fault& fault) const { return judge(fault).reason; }

 private:
  [[nodiscard]] std::vector<double> load(std::size_t i) const {
    return oracle::load_array(case_.arguments[i], inputs_[i]);
  }
  [[nodiscard]] std::vector<float> attend(const Fault& fault, const std::vector<double>& q,
                                          const std::vector<double>& k, const std::vector<double>& v,
                                          std::size_t row) const {
    const int seq = seq_, query = static_cast<int>(row) % seq;
    const std::size_t head = (row - static_cast<std::size_t>(query)) * dim;
    const bool causal = case_.axes.at("causal") != 0;
    const int seen = causal ? std::min(seq, query + 1 + fault.further_keys) : seq;
    float top = fault.maximum_starts_at, sum = 0;
    std::vector<float> out(dim, 0.0F);
    for (int first = 0; first < seen; first += tile) {
      float logits[tile], tile_top = -infinity;
      for (int j = 0; j < tile; ++j) {
        const int key = first + j;
        logits[j] = key < seen ? scaled_dot(&q[row * dim], &k[head + static_cast<std::size_t>(key) * dim],
                                            dim, 0.125F)
                    : fault.counts_tail && key >= seq ? 0.0F
                                                      : -infinity;
        if (key == fault.left_out_key && seen > 1) logits[j] = -infinity;
        if (fault.scores_in_half) logits[j] = through_half(logits[j] * fault.score_unit) / fault.score_unit;
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
      if (fault.rescales) {
        for (float& value : out) value *= alpha;
      }
      for (int j = 0; j < tile; ++j) {
        float weight =
            fault.quadratic_exponential ? quadratic_exp(logits[j] - top) : std::exp(logits[j] - top);
        if (fault.weights_in_half) weight = through_half(weight);
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

  const model::Tolerance& tolerance_;
  const model::InputSet& set_;
  int seq_;
  model::Case case_;
  oracle::InputBuffers inputs_;
  oracle::Reference reference_;
};

}  // namespace evo::tests
