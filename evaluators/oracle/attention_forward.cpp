#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {
namespace {

struct Arguments {
  std::size_t q = 0, k = 0, v = 0, o = 0;
  std::int64_t batch = 0, heads = 0, seq = 0, head_dim = 0;
  double scale = 0;
  bool causal = false;
};

model::Expected<Arguments> resolve(const model::Case& bound) {
  Arguments found;
  std::size_t scale = 0;
  std::size_t causal = 0;
  const std::array<std::pair<std::string_view, std::size_t*>, 6> wanted{{{"Q", &found.q},
                                                                         {"K", &found.k},
                                                                         {"V", &found.v},
                                                                         {"O", &found.o},
                                                                         {"scale", &scale},
                                                                         {"causal", &causal}}};
  for (const auto& [name, index] : wanted) {
    const auto position = argument_index(bound, name);
    if (!position) return tl::make_unexpected(position.error());
    *index = *position;
  }
  const std::vector<std::int64_t>& shape = bound.arguments[found.q].shape;
  for (const std::size_t other : {found.q, found.k, found.v, found.o}) {
    const model::BoundArgument& argument = bound.arguments[other];
    if (argument.shape.size() != 4 || argument.shape != shape) {
      return tl::make_unexpected(model::Error{fmt::format(
          "attention_forward: {} must have the shape [batch, heads, seq, head_dim] of Q", argument.name)});
    }
  }
  found.batch = shape[0];
  found.heads = shape[1];
  found.seq = shape[2];
  found.head_dim = shape[3];
  // The kernel gets the scale in its own type, so the reference must use what is left of it there.
  const model::BoundArgument& argument = bound.arguments[scale];
  found.scale = argument.dtype == model::DType::f64 ? argument.scalar_float
                                                    : double{static_cast<float>(argument.scalar_float)};
  found.causal = bound.arguments[causal].scalar_integer != 0;
  return found;
}

/// One head's [seq, head_dim] matrix, dense; transposed if asked, so that the inner loop runs along keys.
std::vector<double> load_head(const model::BoundArgument& on_device, const std::vector<std::byte>& bytes,
                              std::int64_t batch, std::int64_t head, bool transposed) {
  const model::BoundArgument argument = image_of(on_device);
  const std::int64_t seq = argument.shape[2];
  const std::int64_t dim = argument.shape[3];
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<double> values(static_cast<std::size_t>(seq * dim));
  const std::int64_t base = batch * argument.strides[0] + head * argument.strides[1];
  for (std::int64_t s = 0; s < seq; ++s) {
    for (std::int64_t d = 0; d < dim; ++d) {
      const std::int64_t offset = base + s * argument.strides[2] + d * argument.strides[3];
      values[static_cast<std::size_t>(transposed ? d * seq + s : s * dim + d)] =
          load_element(argument.dtype, bytes.data() + offset * size);
    }
  }
  return values;
}

/// One row of O: scores, softmax with the maximum subtracted, weighted sum of V.
void attend_row(const double* query, const double* keys_transposed, const double* values, std::int64_t seq,
                std::int64_t dim, std::int64_t visible, double scale, double* scores, double* out) {
  std::fill(scores, scores + visible, 0.0);
  for (std::int64_t d = 0; d < dim; ++d) {
    const double factor = query[d];
    const double* keys = keys_transposed + d * seq;
    for (std::int64_t j = 0; j < visible; ++j) scores[j] += factor * keys[j];
  }
  double largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t j = 0; j < visible; ++j) {
    scores[j] *= scale;
    largest = std::max(largest, scores[j]);
  }
  double sum = 0;
  std::fill(out, out + dim, 0.0);
  for (std::int64_t j = 0; j < visible; ++j) {
    const double weight = std::exp(scores[j] - largest);
    sum += weight;
    const double* row = values + j * dim;
    for (std::int64_t d = 0; d < dim; ++d) out[d] += weight * row[d];
  }
  for (std::int64_t d = 0; d < dim; ++d) out[d] /= sum;
}

/// Rows `chosen` of all heads' rows, ascending; `out` gets one after the other.
void attend(const Arguments& a, const model::Case& bound, const InputBuffers& inputs,
            std::span<const std::int64_t> chosen, double* out) {
  const std::int64_t seq = a.seq;
  const std::int64_t dim = a.head_dim;
  const auto one_head = [&](std::int64_t head) {
    const auto begin = std::lower_bound(chosen.begin(), chosen.end(), head * seq);
    const auto end = std::lower_bound(begin, chosen.end(), (head + 1) * seq);
    if (begin == end) return;
    const std::int64_t b = head / a.heads;
    const std::int64_t h = head % a.heads;
    const std::vector<double> queries = load_head(bound.arguments[a.q], inputs[a.q], b, h, false);
    const std::vector<double> keys = load_head(bound.arguments[a.k], inputs[a.k], b, h, true);
    const std::vector<double> values = load_head(bound.arguments[a.v], inputs[a.v], b, h, false);
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(begin - chosen.begin(), end - chosen.begin(), 32),
                      [&](const auto& range) {
                        std::vector<double> scores(static_cast<std::size_t>(seq));
                        for (std::int64_t at = range.begin(); at != range.end(); ++at) {
                          const std::int64_t i = chosen[static_cast<std::size_t>(at)] - head * seq;
                          attend_row(queries.data() + i * dim, keys.data(), values.data(), seq, dim,
                                     a.causal ? i + 1 : seq, a.scale, scores.data(), out + at * dim);
                        }
                      });
  };
  // Isolated, so that a caller's thread that waits here does not pick up the caller's other tasks.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::int64_t{0}, a.batch * a.heads, [&](std::int64_t head) { one_head(head); });
  });
}

}  // namespace

model::Expected<ReferenceOutputs> attention_forward_rows(const model::Case& bound, const InputBuffers& inputs,
                                                         std::span<const std::int64_t> rows) {
  const auto resolved = resolve(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  const Arguments& a = *resolved;
  ReferenceOutputs outputs(bound.arguments.size());
  outputs[a.o].resize(rows.size() * static_cast<std::size_t>(a.head_dim));
  attend(a, bound, inputs, rows, outputs[a.o].data());
  return outputs;
}

model::Expected<ReferenceOutputs> attention_forward(const model::Case& bound, const InputBuffers& inputs) {
  const auto resolved = resolve(bound);
  if (!resolved) return tl::make_unexpected(resolved.error());
  std::vector<std::int64_t> all(static_cast<std::size_t>(resolved->batch * resolved->heads * resolved->seq));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return attention_forward_rows(bound, inputs, all);
}

}  // namespace evo::evaluators::oracle
