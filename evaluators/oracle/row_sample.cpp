#include "evaluators/oracle/row_sample.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::int64_t tile_rows = 16;  // every tile of a matrix instruction begins at a multiple of this

/// A row of a matrix of `rows` rows; `round` says which kind it is the turn of.
std::int64_t draw_row(std::int64_t rows, std::int64_t round, model::RandomStream& stream) {
  const auto any = [&](std::int64_t below) {
    return static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(below)));
  };
  const std::int64_t borders = (rows - 1) / tile_rows;
  switch (round % 4) {
    case 1:
      return borders == 0 ? any(rows) : tile_rows * (1 + any(borders)) - any(2);
    case 2:
      return round == 2 ? rows - 1 : any(rows);
    case 3:
      return round == 3 ? 0 : any(rows);
    default:
      return any(rows);
  }
}

}  // namespace

std::int64_t row_count(const model::BoundArgument& output) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < output.shape.size(); ++d) rows *= output.shape[d];
  return rows;
}

std::vector<std::int64_t> draw_rows(const model::Case& bound, const model::BoundArgument& output,
                                    std::uint64_t entropy) {
  const std::int64_t all = row_count(output);
  if (all == 0) return {};
  const std::int64_t in_matrix = output.shape.size() < 2 ? 1 : output.shape[output.shape.size() - 2];
  const std::int64_t matrices = all / in_matrix;
  const double affordable = sample_flops / std::max(bound.flops / static_cast<double>(all), 1.0);
  const auto wanted = std::min<std::int64_t>(
      all, std::clamp<std::int64_t>(std::max(static_cast<std::int64_t>(affordable), matrices), fewest_rows,
                                    most_rows));
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "rows/" + bound.name});
  std::vector<std::int64_t> order(static_cast<std::size_t>(matrices));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(order[i], order[i + stream.below(order.size() - i)]);
  std::set<std::int64_t> rows{0, all - 1};
  // Rows that were drawn before do not count; the second bound ends the search where nearly all are taken.
  for (std::int64_t turn = 0; static_cast<std::int64_t>(rows.size()) < wanted && turn < 8 * wanted; ++turn) {
    const std::int64_t matrix = order[static_cast<std::size_t>(turn % matrices)];
    rows.insert(matrix * in_matrix + draw_row(in_matrix, turn / matrices, stream));
  }
  return {rows.begin(), rows.end()};
}

model::Expected<Reference> make_reference(const Oracle& oracle, const model::Case& bound,
                                          const InputBuffers& inputs, std::uint64_t entropy,
                                          double most_flops) {
  Reference reference;
  const bool sorted = std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return argument.reduce == model::Reduction::sort;
  });
  if (!sorted && bound.flops > most_flops && oracle.computes_rows(bound) && !oracle.prefers_whole(bound)) {
    for (const model::BoundArgument& argument : bound.arguments) {
      if (!model::is_judged(argument.role)) continue;
      reference.rows = draw_rows(bound, argument, entropy);
      break;
    }
  }
  auto outputs = reference.rows.empty() ? oracle.compute(bound, inputs)
                                        : oracle.compute_rows(bound, inputs, reference.rows);
  if (!outputs) return tl::make_unexpected(outputs.error());
  reference.outputs = std::move(*outputs);
  return reference;
}

}  // namespace evo::evaluators::oracle
