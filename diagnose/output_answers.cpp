// What the outputs would be if correct elements stood elsewhere, or were off by a factor.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "diagnose/answer_list.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {

namespace oracle = evaluators::oracle;
using model::ArgumentRole;
using model::BoundArgument;
using Coordinates = AnswerList::Coordinates;

namespace {

/// One factor over all, or one for each row.
void ask_factors(AnswerList& list, const BoundArgument& argument, const std::vector<double>& correct) {
  const std::int64_t columns = argument.shape.empty() ? 1 : argument.shape.back();
  if (columns < 4 || argument.shape.size() < 2) return;
  std::vector<double> scaled(correct.size());
  double least = std::numeric_limits<double>::infinity(), most = -least;
  const auto rows = static_cast<std::int64_t>(correct.size()) / columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    double dot = 0, norm = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto e = static_cast<std::size_t>(row * columns + c);
      if (!std::isfinite(list.actual()[e])) continue;
      dot += list.actual()[e] * correct[e];
      norm += correct[e] * correct[e];
    }
    const double factor = norm > 0 ? dot / norm : 1;
    least = std::min(least, factor);
    most = std::max(most, factor);
    for (std::int64_t c = 0; c < columns; ++c)
      scaled[static_cast<std::size_t>(row * columns + c)] =
          factor * correct[static_cast<std::size_t>(row * columns + c)];
  }
  if (most - least < 1e-3 * std::abs(most)) {
    list.weigh("constant_factor", argument.name,
               fmt::format("all of {} is {:.4g} times what it should be", argument.name, most), scaled);
  } else {
    list.weigh("row_factor", argument.name,
               fmt::format("each row of {} is off by a factor of its own, {:.4g} to {:.4g}", argument.name,
                           least, most),
               scaled);
  }
}

}  // namespace

void ask_outputs(AnswerList& list) {
  const BoundArgument& argument = list.seen().bound.arguments[list.output()];
  const std::vector<double>& correct = list.seen().references[list.output()];
  const std::size_t rank = argument.shape.size();
  for (std::size_t d = 0; d < rank; ++d) {
    if (argument.shape[d] < 2) continue;
    for (const std::int64_t step : {-1, 1}) {
      const std::vector<double> shifted = moved_values(argument, correct, [&](Coordinates at) {
        at[d] += step;
        return at;
      });
      std::vector<bool> mask(correct.size());
      for (std::size_t e = 0; e < mask.size(); ++e) {
        const std::int64_t to = oracle::coordinates_of(argument, static_cast<std::int64_t>(e))[d] + step;
        mask[e] = to >= 0 && to < argument.shape[d];
      }
      list.weigh("output_shifted", argument.name,
                 fmt::format("what belongs {} {} stands there", step > 0 ? "after" : "before",
                             d + 1 == rank ? "an element" : "a row"),
                 shifted, mask);
    }
  }
  if (rank >= 2 && argument.shape[rank - 1] > 1 && argument.shape[rank - 2] > 1) {
    const std::int64_t rows = argument.shape[rank - 2], columns = argument.shape[rank - 1];
    list.weigh("output_transposed", argument.name, "it is stored as if it lay by columns",
               moved_values(argument, correct, [&](Coordinates at) {
                 const std::int64_t flat = at[rank - 2] * columns + at[rank - 1];
                 at[rank - 2] = flat % rows;
                 at[rank - 1] = flat / rows;
                 return at;
               }));
  }
  ask_factors(list, argument, correct);
}

}  // namespace evo::diagnose
