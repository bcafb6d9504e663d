// What an online softmax holds between its steps, in fp64. With t the tile of a key, m_i(t) the largest logit
// of row i up to the end of tile t:
//   P_ij = exp(s_ij - m_i(t(j)))
//   l_i(t) = exp(m_i(t-1) - m_i(t)) l_i(t-1) + sum over the tile of P_ij
//   A_i(t) = exp(m_i(t-1) - m_i(t)) A_i(t-1) + sum over the tile of P_ij V_j
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", arXiv 1805.02867, and
// FlashAttention.)
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// Everything of one head that the stages are made of.
struct Head {
  std::int64_t seq = 0, dim = 0, tile = 0, tiles = 0;
  bool causal = false;
  std::vector<double> scores;  ///< [seq, seq], masked
  std::vector<double> values;  ///< [seq, dim]
  std::vector<double> maxima;  ///< [seq, tiles]

  [[nodiscard]] double score(std::int64_t i, std::int64_t j) const {
    return scores[static_cast<std::size_t>(i * seq + j)];
  }
  [[nodiscard]] double maximum(std::int64_t i, std::int64_t t) const {
    return maxima[static_cast<std::size_t>(i * tiles + t)];
  }
  [[nodiscard]] double weight(std::int64_t i, std::int64_t j) const {
    return std::exp(score(i, j) - maximum(i, j / tile));
  }
  /// exp(old maximum - new maximum) as tile t begins; 0 for the first.
  [[nodiscard]] double alpha(std::int64_t i, std::int64_t t) const {
    return t == 0 ? 0 : std::exp(maximum(i, t - 1) - maximum(i, t));
  }
  /// True if the mask hides all of tile t from row i, so that a kernel may leave it out.
  [[nodiscard]] bool hidden(std::int64_t i, std::int64_t t) const { return causal && t * tile > i; }
  [[nodiscard]] std::int64_t end(std::int64_t t) const { return std::min(seq, (t + 1) * tile); }
};

/// [seq, dim] of one slice of an argument [batch, heads, seq, dim].
std::vector<double> load_slice(const model::BoundArgument& on_device, const std::vector<std::byte>& bytes,
                               std::int64_t slice) {
  const model::BoundArgument argument = host_layout(on_device);
  const std::int64_t batch = slice / argument.shape[1], head = slice % argument.shape[1];
  std::vector<double> values;
  for (std::int64_t s = 0; s < argument.shape[2]; ++s) {
    for (std::int64_t d = 0; d < argument.shape[3]; ++d) {
      const std::int64_t offset = batch * argument.strides[0] + head * argument.strides[1] +
                                  s * argument.strides[2] + d * argument.strides[3];
      values.push_back(load_element(argument.dtype, bytes.data() + offset * model::size_of(argument.dtype)));
    }
  }
  return values;
}

model::Expected<Head> make_head(const StageRequest& request, std::string_view score_mistake = {}) {
  const model::Case& bound = request.bound;
  std::size_t index[5];
  const char* const names[5] = {"Q", "K", "V", "scale", "causal"};
  for (int i = 0; i < 5; ++i) {
    const auto found = argument_index(bound, names[i]);
    if (!found) return tl::make_unexpected(found.error());
    index[i] = *found;
  }
  const model::BoundArgument& q = bound.arguments[index[0]];
  if (q.shape.size() != 4 || request.slice < 0 || request.slice >= q.shape[0] * q.shape[1]) {
    return tl::make_unexpected(model::Error{
        fmt::format("attention stages: Q has no slice {} of [batch, heads, seq, head_dim]", request.slice)});
  }
  Head head;
  head.seq = q.shape[2];
  head.dim = q.shape[3];
  head.tile = request.tile > 0 ? request.tile : std::max<std::int64_t>(head.seq, 1);
  head.tiles = (head.seq + head.tile - 1) / head.tile;
  head.causal = bound.arguments[index[4]].scalar_integer != 0;
  double scale = double{static_cast<float>(bound.arguments[index[3]].scalar_float)};
  if (score_mistake == "unscaled") scale = 1;
  if (score_mistake == "scaled_twice") scale *= scale;
  const std::int64_t shift = score_mistake == "mask_early" ? -1 : score_mistake == "mask_late" ? 1 : 0;
  const bool masked = head.causal && score_mistake != "unmasked";

  const std::vector<double> queries = load_slice(q, request.inputs[index[0]], request.slice);
  const std::vector<double> keys =
      load_slice(bound.arguments[index[1]], request.inputs[index[1]], request.slice);
  head.values = load_slice(bound.arguments[index[2]], request.inputs[index[2]], request.slice);
  head.scores.assign(static_cast<std::size_t>(head.seq * head.seq), minus_infinity);
  head.maxima.assign(static_cast<std::size_t>(head.seq * head.tiles), minus_infinity);
  for (std::int64_t i = 0; i < head.seq; ++i) {
    double top = minus_infinity;
    for (std::int64_t j = 0; j < head.seq; ++j) {
      if (!masked || j <= i + shift) {
        double sum = 0;
        for (std::int64_t d = 0; d < head.dim; ++d) {
          sum += queries[static_cast<std::size_t>(i * head.dim + d)] *
                 keys[static_cast<std::size_t>(j * head.dim + d)];
        }
        head.scores[static_cast<std::size_t>(i * head.seq + j)] = scale * sum;
        top = std::max(top, scale * sum);
      }
      head.maxima[static_cast<std::size_t>(i * head.tiles + j / head.tile)] = top;
    }
  }
  return head;
}

StageReference blank(std::int64_t rows, std::int64_t columns, std::int64_t tile_columns) {
  StageReference reference;
  reference.rows = rows;
  reference.columns = columns;
  reference.tile_columns = tile_columns;
  reference.values.assign(static_cast<std::size_t>(rows * columns), 0.0);
  reference.skippable.assign(static_cast<std::size_t>(rows * columns), false);
  return reference;
}

/// The factor on what earlier tiles left.
double carry(const Head& head, std::string_view mistake, std::int64_t i, std::int64_t t) {
  if (t == 0 || mistake == "own_tile_only") return 0;
  if (mistake == "not_rescaled") return 1;
  return mistake == "inverted" ? 1 / head.alpha(i, t) : head.alpha(i, t);
}

}  // namespace

model::Expected<StageReference> attention_scores(const StageRequest& request, std::string_view hypothesis) {
  const auto head = make_head(request, hypothesis);
  if (!head) return tl::make_unexpected(head.error());
  StageReference reference = blank(head->seq, head->seq, request.tile);
  reference.values = head->scores;
  for (std::size_t i = 0; i < reference.values.size(); ++i)
    reference.skippable[i] = reference.values[i] == minus_infinity;
  return reference;
}

model::Expected<StageReference> attention_running_max(const StageRequest& request,
                                                      std::string_view hypothesis) {
  const auto head = make_head(request);
  if (!head) return tl::make_unexpected(head.error());
  StageReference reference = blank(head->seq, head->tiles, 1);
  for (std::int64_t i = 0; i < head->seq; ++i) {
    for (std::int64_t t = 0; t < head->tiles; ++t) {
      double value = head->maximum(i, hypothesis == "frozen" ? 0 : t);
      if (hypothesis == "zero") value = 0;
      if (hypothesis == "clamped") value = std::max(value, 0.0);
      if (hypothesis == "own_tile_only") {
        value = minus_infinity;
        for (std::int64_t j = t * head->tile; j < head->end(t); ++j)
          value = std::max(value, head->score(i, j));
      }
      const auto at = static_cast<std::size_t>(i * head->tiles + t);
      reference.values[at] = value;
      reference.skippable[at] = head->hidden(i, t);
    }
  }
  return reference;
}

model::Expected<StageReference> attention_weights(const StageRequest& request, std::string_view hypothesis) {
  const bool scale = hypothesis == "unscaled" || hypothesis == "scaled_twice";
  const auto head = make_head(request, scale ? hypothesis : std::string_view());
  if (!head) return tl::make_unexpected(head.error());
  StageReference reference = blank(head->seq, head->seq, request.tile);
  for (std::int64_t i = 0; i < head->seq; ++i) {
    for (std::int64_t j = 0; j < head->seq; ++j) {
      double top = head->maximum(i, j / head->tile);
      if (hypothesis == "unshifted") top = 0;
      if (hypothesis == "clamped") top = std::max(top, 0.0);
      const double x = head->score(i, j) - top;
      double value = hypothesis == "base_two" ? std::exp2(x) : std::exp(x);
      // The usual one: 2^floor(y) times a parabola through 1 and 2 on the fraction of y = x log2(e).
      if (hypothesis == "quadratic" && std::isfinite(x)) {
        const double y = x * 1.4426950408889634, whole = std::floor(y), f = y - whole;
        value = std::ldexp(1 + f * (0.6565 + f * 0.3435), static_cast<int>(std::max(whole, -1000.0)));
      }
      const auto at = static_cast<std::size_t>(i * head->seq + j);
      reference.values[at] = value;
      reference.skippable[at] = head->score(i, j) == minus_infinity;
    }
  }
  return reference;
}

model::Expected<StageReference> attention_running_sum(const StageRequest& request,
                                                      std::string_view hypothesis) {
  const auto head = make_head(request);
  if (!head) return tl::make_unexpected(head.error());
  StageReference reference = blank(head->seq, head->tiles, 1);
  for (std::int64_t i = 0; i < head->seq; ++i) {
    double sum = 0;
    for (std::int64_t t = 0; t < head->tiles; ++t) {
      sum *= carry(*head, hypothesis, i, t);
      for (std::int64_t j = t * head->tile; j < head->end(t); ++j) sum += head->weight(i, j);
      const auto at = static_cast<std::size_t>(i * head->tiles + t);
      reference.values[at] = sum;
      reference.skippable[at] = head->hidden(i, t);
    }
  }
  return reference;
}

model::Expected<StageReference> attention_accumulator(const StageRequest& request,
                                                      std::string_view hypothesis) {
  const auto head = make_head(request);
  if (!head) return tl::make_unexpected(head.error());
  const std::int64_t columns = head->tiles * head->dim;
  StageReference reference = blank(head->seq, columns, head->dim);
  const std::int64_t shift = hypothesis == "previous_v" ? -head->tile
                             : hypothesis == "next_v"   ? head->tile
                                                        : 0;
  for (std::int64_t i = 0; i < head->seq; ++i) {
    std::vector<double> sum(static_cast<std::size_t>(head->dim), 0.0);
    for (std::int64_t t = 0; t < head->tiles; ++t) {
      const double factor = carry(*head, hypothesis, i, t);
      for (double& value : sum) value *= factor;
      for (std::int64_t j = t * head->tile; j < head->end(t); ++j) {
        const double weight = head->weight(i, j);
        const std::int64_t other = j + shift < 0 ? j : j + shift;  // the first tile has none before it
        if (other >= head->seq) continue;                          // and the last reads zeros after it
        for (std::int64_t d = 0; d < head->dim; ++d) {
          sum[static_cast<std::size_t>(d)] +=
              weight * head->values[static_cast<std::size_t>(other * head->dim + d)];
        }
      }
      for (std::int64_t d = 0; d < head->dim; ++d) {
        const auto at = static_cast<std::size_t>(i * columns + t * head->dim + d);
        reference.values[at] = sum[static_cast<std::size_t>(d)];
        reference.skippable[at] = head->hidden(i, t);
      }
    }
  }
  return reference;
}

}  // namespace evo::packs::attention
