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
#include "packs/attention/row_tiles.hpp"

namespace evo::packs::attention {
namespace {

/// How a head's matrix lies in memory.
enum class Order : std::uint8_t {
  rows,   ///< [seq][padded dim]
  panels  ///< row_tiles.hpp
};

/// One head's [seq, head_dim] matrix, filled up with zeros.
std::vector<double> load_head(const model::BoundArgument& on_device, const std::vector<std::byte>& bytes,
                              std::int64_t batch, std::int64_t head, Order order) {
  const model::BoundArgument argument = host_layout(on_device);
  const std::int64_t seq = argument.shape[2];
  const std::int64_t dim = argument.shape[3];
  const std::int64_t size = model::size_of(argument.dtype);
  const std::int64_t width = padded(dim);
  std::vector<double> values(
      static_cast<std::size_t>(order == Order::panels ? padded(seq) * dim : seq * width));
  const std::int64_t base = batch * argument.strides[0] + head * argument.strides[1];
  for (std::int64_t s = 0; s < seq; ++s) {
    const std::int64_t panel = s / panel_keys * panel_keys * dim + s % panel_keys;
    for (std::int64_t d = 0; d < dim; ++d) {
      const std::int64_t offset = base + s * argument.strides[2] + d * argument.strides[3];
      values[static_cast<std::size_t>(order == Order::panels ? panel + d * panel_keys : s * width + d)] =
          load_element(argument.dtype, bytes.data() + offset * size);
    }
  }
  return values;
}

/// What the rows of one head share.
struct HeadMatrices {
  std::vector<double> queries, keys, values;
  std::int64_t seq = 0, dim = 0;
};

/// Room for a few rows of one thread.
class RowTile {
 public:
  RowTile(const HeadMatrices& head, double scale, bool causal)
      : head_(head),
        scale_(scale),
        causal_(causal),
        scores_(tile_rows * static_cast<std::size_t>(padded(head.seq))),
        weights_(scores_.size()),
        sums_(tile_rows * static_cast<std::size_t>(padded(head.dim))) {}

  /// At most tile_rows rows of the head, ascending; out[f] is form f's first of them.
  void compute(std::span<const std::int64_t> rows, std::span<const Weigh> forms,
               std::span<double* const> out) {
    score(rows);
    for (std::size_t form = 0; form < forms.size(); ++form) {
      // The last form may have the scores themselves.
      const bool last = form + 1 == forms.size();
      if (!last) std::copy(scores_.begin(), scores_.end(), weights_.begin());
      weigh(rows, forms[form], last ? scores_.data() : weights_.data(), out[form]);
    }
  }

 private:
  using Places = std::array<double*, tile_rows>;

  [[nodiscard]] std::int64_t visible(std::int64_t row) const { return causal_ ? row + 1 : head_.seq; }
  static Places places(double* begin, std::int64_t width) {
    Places found;
    for (std::size_t r = 0; r < tile_rows; ++r) found[r] = begin + static_cast<std::int64_t>(r) * width;
    return found;
  }

  void score(std::span<const std::int64_t> rows) {
    std::array<const double*, tile_rows> queries{};
    for (std::size_t r = 0; r < rows.size(); ++r) queries[r] = &head_.queries[index(rows[r])];
    const Places scores = places(scores_.data(), padded(head_.seq));
    score_tile(std::span(queries).first(rows.size()), head_.keys.data(), head_.dim,
               padded(visible(rows.back())) / panel_keys, std::span(scores).first(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int64_t j = 0; j < visible(rows[r]); ++j) scores[r][j] *= scale_;
    }
  }

  void weigh(std::span<const std::int64_t> rows, Weigh form, double* scores, double* out) {
    const std::int64_t width = padded(head_.dim);
    const Places weights = places(scores, padded(head_.seq)), sums = places(sums_.data(), width);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::array<double, tile_rows> divisors{};
    for (std::size_t r = 0; r < rows.size(); ++r)
      divisors[r] = form({weights[r], static_cast<std::size_t>(visible(rows[r]))});
    // Rows that see as many keys go together; a later row sees more.
    std::int64_t from = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::int64_t to = visible(rows[r]);
      const std::size_t count = rows.size() - r;
      std::array<const double*, tile_rows> factors{};
      std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(r), count, factors.begin());
      add_weighted_tile(std::span(factors).first(count), head_.values.data(), width, from, to,
                        std::span(sums).subspan(r, count));
      from = to;
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int64_t d = 0; d < head_.dim; ++d) *out++ = sums[r][d] / divisors[r];
    }
  }

  [[nodiscard]] std::size_t index(std::int64_t row) const {
    return static_cast<std::size_t>(row * padded(head_.dim));
  }

  const HeadMatrices& head_;
  double scale_;
  bool causal_;
  std::vector<double> scores_, weights_, sums_;
};

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

void attend(const AttentionArguments& a, const model::Case& bound, const InputBuffers& inputs,
            std::span<const std::int64_t> chosen, std::span<const Weigh> forms,
            std::span<double* const> out) {
  const auto load = [&](std::size_t argument, std::int64_t head, Order order) {
    return load_head(bound.arguments[argument], inputs[argument], head / a.heads, head % a.heads, order);
  };
  const auto one_head = [&](std::int64_t number) {
    const auto begin = std::lower_bound(chosen.begin(), chosen.end(), number * a.seq);
    const auto end = std::lower_bound(begin, chosen.end(), (number + 1) * a.seq);
    if (begin == end) return;
    const HeadMatrices head{load(a.q, number, Order::rows), load(a.k, number, Order::panels),
                            load(a.v, number, Order::rows), a.seq, a.head_dim};
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(begin - chosen.begin(), end - chosen.begin(), 32),
        [&](const auto& range) {
          RowTile tile(head, a.scale, a.causal);
          std::vector<std::int64_t> rows;
          std::vector<double*> places(out.begin(), out.end());
          for (std::int64_t at = range.begin(); at < range.end(); at += std::int64_t{tile_rows}) {
            rows.clear();
            for (std::int64_t r = at; r < std::min(at + std::int64_t{tile_rows}, range.end()); ++r)
              rows.push_back(chosen[static_cast<std::size_t>(r)] - number * a.seq);
            for (std::size_t f = 0; f < out.size(); ++f) places[f] = out[f] + at * a.head_dim;
            tile.compute(rows, forms, places);
          }
        });
  };
  // Isolated, so that a caller's thread that waits here does not pick up the caller's other tasks.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::int64_t{0}, a.batch * a.heads, [&](std::int64_t head) { one_head(head); });
  });
}

}  // namespace evo::packs::attention
