#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "evaluators/oracle/layout.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// As FP32 has it: what is too large is infinite, what is too small is zero.
double single(double value) {
  return static_cast<double>(static_cast<float>(value));
}
double single_exp(double value) {
  return single(std::exp(value));
}

/// A row of a softmax: what each element counts in the output, and what all of it is divided by.
struct Weights {
  std::vector<double> weight;
  double sum = 0;
};

double largest(const std::vector<double>& logits) {
  return std::accumulate(logits.begin(), logits.end(), -infinity,
                         [](double a, double b) { return std::max(a, b); });
}

/// Largest logit up to the end of each element's tile.
std::vector<double> running_maxima(const std::vector<double>& logits, std::size_t tile) {
  std::vector<double> maxima(logits.size());
  double top = -infinity;
  for (std::size_t first = 0; first < logits.size(); first += tile) {
    const std::size_t end = std::min(logits.size(), first + tile);
    for (std::size_t j = first; j < end; ++j) top = std::max(top, logits[j]);
    std::fill(maxima.begin() + static_cast<std::ptrdiff_t>(first),
              maxima.begin() + static_cast<std::ptrdiff_t>(end), top);
  }
  return maxima;
}

/// Largest logit of an element's own part: its tile, or every `tile`-th.
std::vector<double> own_maxima(const std::vector<double>& logits, std::size_t tile, bool strided) {
  const std::size_t parts = strided ? tile : (logits.size() + tile - 1) / tile;
  std::vector<double> top(parts, -infinity), maxima(logits.size());
  for (std::size_t j = 0; j < logits.size(); ++j) {
    double& part = top[strided ? j % tile : j / tile];
    part = std::max(part, logits[j]);
  }
  for (std::size_t j = 0; j < logits.size(); ++j) maxima[j] = top[strided ? j % tile : j / tile];
  return maxima;
}

Weights shifted(const std::vector<double>& logits, double top, double (*power)(double)) {
  Weights row;
  for (const double logit : logits) {
    row.weight.push_back(power(logit - top));
    row.sum += row.weight.back();
  }
  return row;
}

/// Weights against `own` where the accumulator forgets to follow the maximum; likewise the sum.
Weights forgetful(const std::vector<double>& logits, const std::vector<double>& own, bool accumulator,
                  bool sum) {
  const double top = largest(logits);
  Weights row;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (logits[j] == -infinity) {
      row.weight.push_back(0);
      continue;
    }
    const double correct = std::exp(logits[j] - top), stale = std::exp(logits[j] - own[j]);
    row.weight.push_back(accumulator ? stale : correct);
    row.sum += sum ? stale : correct;
  }
  return row;
}

using Mistake = std::function<Weights(const std::vector<double>&)>;
struct Named {
  std::string name, text;
  Mistake weights;
};

std::vector<Named> row_mistakes(std::size_t length) {
  std::vector<Named> all{
      {"unshifted", "no maximum is subtracted",
       [](const auto& logits) { return shifted(logits, 0, single_exp); }},
      {"maximum_clamped", "the maximum is never below 0",
       [](const auto& logits) { return shifted(logits, std::max(0.0, largest(logits)), single_exp); }},
      {"base_two", "2^x is taken in place of e^x",
       [](const auto& logits) {
         return shifted(logits, largest(logits), [](double x) { return std::exp2(x); });
       }},
      {"base_ten", "10^x is taken in place of e^x",
       [](const auto& logits) {
         return shifted(logits, largest(logits), [](double x) { return std::pow(10.0, x); });
       }},
      {"first_as_maximum", "the first element's value is subtracted in place of the maximum",
       [](const auto& logits) { return shifted(logits, logits.front(), single_exp); }},
      {"smallest_as_maximum", "the smallest value is subtracted in place of the largest",
       [](const auto& logits) {
         double least = infinity;
         for (const double logit : logits) least = logit == -infinity ? least : std::min(least, logit);
         return shifted(logits, least, single_exp);
       }},
      {"not_normalised", "nothing is divided by the sum",
       [](const auto& logits) {
         Weights row = shifted(logits, largest(logits), single_exp);
         row.sum = 1;
         return row;
       }},
      {"normalised_twice", "the sum is divided by twice", [](const auto& logits) {
         Weights row = shifted(logits, largest(logits), single_exp);
         row.sum *= row.sum;
         return row;
       }}};
  for (const bool first : {true, false}) {
    for (const double times : {0.0, 2.0}) {
      all.push_back({times == 0 ? "sum_misses_element" : "sum_repeats_element",
                     fmt::format("the {} element is {} the sum", first ? "first" : "last",
                                 times == 0 ? "not in" : "twice in"),
                     [first, times](const auto& logits) {
                       Weights row = shifted(logits, largest(logits), single_exp);
                       // Of those that count: behind a mask there are none.
                       std::size_t j = first ? 0 : logits.size() - 1;
                       while (!first && j > 0 && logits[j] == -infinity) --j;
                       row.sum += (times - 1) * row.weight[j];
                       return row;
                     }});
    }
  }
  for (const std::size_t tile : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    if (tile >= length) break;
    const auto with = [&](const char* name, const std::string& text, bool accumulator, bool sum) {
      all.push_back({name, fmt::format(fmt::runtime(text), tile), [=](const auto& logits) {
                       return forgetful(logits, running_maxima(logits, tile), accumulator, sum);
                     }});
    };
    with("sum_not_rescaled", "the running sum is not multiplied as the maximum grows, over tiles of {}",
         false, true);
    with("output_not_rescaled", "the accumulator is not multiplied as the maximum grows, over tiles of {}",
         true, false);
    with("nothing_rescaled",
         "neither sum nor accumulator is multiplied as the maximum grows, over tiles of {}", true, true);
    for (const bool strided : {false, true}) {
      if (tile == 1 && strided) continue;
      const std::string parts = strided ? "every {}th element" : "tiles of {}";
      const auto own = [&](const char* name, const std::string& text, bool accumulator, bool sum) {
        all.push_back({name, fmt::format(fmt::runtime(text + parts), tile), [=](const auto& logits) {
                         return forgetful(logits, own_maxima(logits, tile, strided), accumulator, sum);
                       }});
      };
      own("sum_not_rescaled", "sums of parts are added without a common maximum, parts being ", false, true);
      own("output_not_rescaled", "accumulators of parts are added without a common maximum, parts being ",
          true, false);
      own("maximum_not_carried", "each part goes by its own maximum, parts being ", true, true);
    }
  }
  return all;
}

std::vector<MistakenOutputs> softmax_rows(const model::Case& bound, const InputBuffers& inputs) {
  const auto x = argument_index(bound, "x"), y = argument_index(bound, "y");
  if (!x || !y || bound.arguments[*x].shape.size() != 2) return {};
  const auto rows = static_cast<std::size_t>(bound.arguments[*x].shape[0]),
             columns = static_cast<std::size_t>(bound.arguments[*x].shape[1]);
  if (rows * columns == 0) return {};
  const std::vector<double> values = load_array(bound.arguments[*x], inputs[*x]);
  std::vector<MistakenOutputs> results;
  for (const Named& mistake : row_mistakes(columns)) {
    MistakenOutputs result{mistake.name, mistake.text, ReferenceOutputs(bound.arguments.size())};
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * columns);
      const Weights weights = mistake.weights({first, first + static_cast<std::ptrdiff_t>(columns)});
      for (const double weight : weights.weight)
        result.outputs[*y].push_back(single(weight) / single(weights.sum));
    }
    results.push_back(std::move(result));
  }
  return results;
}

/// Everything of an attention case, dense.
struct Attention {
  std::size_t slices = 0, seq = 0, dim = 0, output = 0;
  bool causal = false;
  double scale = 1;
  std::vector<double> q, k, v;

  /// Logits of a row; keys behind `shift` past the diagonal are hidden.
  [[nodiscard]] std::vector<double> logits(std::size_t slice, std::size_t row, std::int64_t shift) const {
    std::vector<double> result(seq, -infinity);
    for (std::size_t key = 0; key < seq; ++key) {
      if (causal && static_cast<std::int64_t>(key) > static_cast<std::int64_t>(row) + shift) continue;
      double sum = 0;
      for (std::size_t d = 0; d < dim; ++d)
        sum += q[(slice * seq + row) * dim + d] * k[(slice * seq + key) * dim + d];
      result[key] = scale * sum;
    }
    return result;
  }
  void add_row(std::size_t slice, const Weights& weights, std::vector<double>& out) const {
    std::vector<double> sums(dim, 0);
    for (std::size_t key = 0; key < seq; ++key) {
      if (weights.weight[key] == 0) continue;
      for (std::size_t d = 0; d < dim; ++d) sums[d] += weights.weight[key] * v[(slice * seq + key) * dim + d];
    }
    for (const double sum : sums) out.push_back(single(sum) / single(weights.sum));
  }
};

std::vector<MistakenOutputs> attend_wrongly(const model::Case& bound, const InputBuffers& inputs) {
  Attention all;
  std::size_t index[6];
  const char* const names[6] = {"Q", "K", "V", "O", "scale", "causal"};
  for (int i = 0; i < 6; ++i) {
    const auto found = argument_index(bound, names[i]);
    if (!found) return {};
    index[i] = *found;
  }
  const std::vector<std::int64_t>& shape = bound.arguments[index[0]].shape;
  if (shape.size() != 4) return {};
  all.slices = static_cast<std::size_t>(shape[0] * shape[1]);
  all.seq = static_cast<std::size_t>(shape[2]);
  all.dim = static_cast<std::size_t>(shape[3]);
  if (all.slices * all.seq * all.dim == 0) return {};
  all.output = index[3];
  all.scale = static_cast<float>(bound.arguments[index[4]].scalar_float);
  all.causal = bound.arguments[index[5]].scalar_integer != 0;
  all.q = load_array(bound.arguments[index[0]], inputs[index[0]]);
  all.k = load_array(bound.arguments[index[1]], inputs[index[1]]);
  all.v = load_array(bound.arguments[index[2]], inputs[index[2]]);

  std::vector<MistakenOutputs> results;
  const std::vector<Named> mistakes = row_mistakes(all.seq);
  for (const Named& mistake : mistakes)
    results.push_back({mistake.name, mistake.text, ReferenceOutputs(bound.arguments.size())});
  if (all.causal) {
    results.push_back(
        {"mask_early", "the causal mask hides the diagonal too", ReferenceOutputs(bound.arguments.size())});
    results.push_back({"mask_late", "the causal mask lets one key too many through",
                       ReferenceOutputs(bound.arguments.size())});
  }
  for (std::size_t slice = 0; slice < all.slices; ++slice) {
    for (std::size_t row = 0; row < all.seq; ++row) {
      const std::vector<double> logits = all.logits(slice, row, 0);
      for (std::size_t i = 0; i < mistakes.size(); ++i)
        all.add_row(slice, mistakes[i].weights(logits), results[i].outputs[all.output]);
      for (std::size_t i = mistakes.size(); i < results.size(); ++i) {
        const std::vector<double> masked = all.logits(slice, row, i == mistakes.size() ? -1 : 1);
        all.add_row(slice, shifted(masked, largest(masked), single_exp), results[i].outputs[all.output]);
      }
    }
  }
  return results;
}

}  // namespace

std::vector<MistakenOutputs> softmax_mistakes(const model::Case& bound, const InputBuffers& inputs) {
  return softmax_rows(bound, inputs);
}

std::vector<MistakenOutputs> attention_mistakes(const model::Case& bound, const InputBuffers& inputs) {
  return attend_wrongly(bound, inputs);
}

}  // namespace evo::packs::attention
