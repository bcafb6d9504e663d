#include "packs/attention/attention_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::packs::attention {
namespace {

/// One head's [seq, head_dim] matrix, dense; transposed if asked.
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

}  // namespace

std::vector<std::int64_t> AttentionArguments::all_rows() const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(batch * heads * seq));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

model::Expected<AttentionArguments> resolve_attention(const model::Case& bound) {
  AttentionArguments found;
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

void AttentionRow::score(double* scores) const {
  std::fill(scores, scores + visible, 0.0);
  for (std::int64_t d = 0; d < dim; ++d) {
    const double factor = query[d];
    const double* keys = keys_transposed + d * seq;
    for (std::int64_t j = 0; j < visible; ++j) scores[j] += factor * keys[j];
  }
  for (std::int64_t j = 0; j < visible; ++j) scores[j] *= scale;
}

void for_each_row(const AttentionArguments& a, const model::Case& bound, const InputBuffers& inputs,
                  std::span<const std::int64_t> chosen, double* out,
                  const std::function<void(const AttentionRow&, double*, double*)>& attend) {
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
                        std::vector<double> scratch(static_cast<std::size_t>(seq));
                        for (std::int64_t at = range.begin(); at != range.end(); ++at) {
                          const std::int64_t i = chosen[static_cast<std::size_t>(at)] - head * seq;
                          const AttentionRow row{
                              queries.data() + i * dim, keys.data(), values.data(), seq, dim,
                              a.causal ? i + 1 : seq,   a.scale};
                          attend(row, scratch.data(), out + at * dim);
                        }
                      });
  };
  // Isolated, so that a caller's thread that waits here does not pick up the caller's other tasks.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::int64_t{0}, a.batch * a.heads, [&](std::int64_t head) { one_head(head); });
  });
}

}  // namespace evo::packs::attention
