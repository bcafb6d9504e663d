#include "evaluators/oracle/formula_machine.hpp"

#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "evaluators/oracle/formula_lanes.inl"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

using lanes::Contents;
using lanes::Lanes;
using lanes::most_lanes;

constexpr std::int64_t poor_lanes = 16;  ///< a dimension with fewer elements makes poor lanes

template <class Real>
Contents<Real> contents_of(const Program& program, const model::Case& bound, const InputBuffers& inputs) {
  Contents<Real> contents;
  contents.floating.resize(program.arrays.size());
  contents.integral.resize(program.arrays.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (i >= inputs.size() || inputs[i].empty()) continue;
    std::vector<double> values = load_array(bound.arguments[i], inputs[i]);
    if (program.arrays[i].integral) {
      contents.integral[i] = std::move(values);
    } else {
      contents.floating[i].assign(values.begin(), values.end());
    }
  }
  return contents;
}

/// Which dimension the lanes run along: the last, unless that is short and another is longer.
std::size_t lane_dimension(const BoundStatement& statement, const std::vector<std::int64_t>& shape,
                           bool rows) {
  const std::size_t none = shape.size();
  if (shape.empty()) return none;
  std::size_t best = shape.size() - 1;
  if (!rows && shape[best] < poor_lanes)
    best = static_cast<std::size_t>(std::ranges::max_element(shape) - shape.begin());
  return statement.variables[best] == no_variable || shape[best] < 2 ? none : best;
}

/// The elements of one statement: pieces of at most `most_lanes` along the lanes' dimension.
template <class Real>
class Pieces {
 public:
  Pieces(const Program& program, const BoundStatement& statement, std::span<const std::int64_t> rows)
      : statement_(statement),
        target_(program.arrays[statement.target]),
        rows_(rows),
        lane_(lane_dimension(statement, target_.shape, !rows.empty())) {
    lane_extent_ = lane_ < target_.shape.size() ? target_.shape[lane_] : 1;
    chunks_ = (lane_extent_ + most_lanes - 1) / most_lanes;
    const std::int64_t lines = lane_extent_ == 0 ? 0 : target_.elements / lane_extent_;
    if (rows.empty()) {
      lines_ = lines;
    } else {  // a row is one line, or as many as it has elements
      per_row_ = lane_ < target_.shape.size() ? 1 : target_.shape.back();
      lines_ = static_cast<std::int64_t>(rows.size()) * per_row_;
    }
  }

  [[nodiscard]] std::int64_t count() const { return lines_ * chunks_; }
  [[nodiscard]] std::int64_t elements() const { return lines_ * lane_extent_; }

  void evaluate(Lanes<Real>& machine, std::int64_t piece, std::vector<Real>& result) const {
    const std::int64_t line = piece / chunks_, base = piece % chunks_ * most_lanes;
    std::int64_t rest =
        rows_.empty() ? line : rows_[static_cast<std::size_t>(line / per_row_)] * per_row_ + line % per_row_;
    std::int64_t first = 0;
    for (std::size_t d = target_.shape.size(); d-- > 0;) {
      if (d == lane_) continue;
      const std::int64_t at = rest % target_.shape[d];
      rest /= target_.shape[d];
      first += at * target_.strides[d];
      if (statement_.variables[d] != no_variable) machine.set(statement_.variables[d], at);
    }
    if (lane_ >= target_.shape.size()) {
      result[static_cast<std::size_t>(rows_.empty() ? first : line)] = machine.evaluate();
      return;
    }
    const std::int64_t count = std::min(most_lanes, lane_extent_ - base);
    const auto values = machine.evaluate(statement_.variables[lane_], base, count);
    const std::int64_t stride = target_.strides[lane_];
    const std::int64_t start = rows_.empty() ? first + base * stride : line * lane_extent_ + base;
    for (std::int64_t l = 0; l < count; ++l)
      result[static_cast<std::size_t>(start + l * (rows_.empty() ? stride : 1))] = values.at(l);
  }

 private:
  const BoundStatement& statement_;
  const BoundArray& target_;
  std::span<const std::int64_t> rows_;
  std::size_t lane_;
  std::int64_t lane_extent_ = 1, chunks_ = 1, lines_ = 0, per_row_ = 1;
};

template <class Real>
std::vector<Real> evaluate(const Program& program, const BoundStatement& statement,
                           const Contents<Real>& contents, std::span<const std::int64_t> rows) {
  const Pieces<Real> pieces(program, statement, rows);
  std::vector<Real> result(static_cast<std::size_t>(pieces.elements()));
  tbb::enumerable_thread_specific<Lanes<Real>> machines(
      [&] { return Lanes<Real>(program, statement, contents); });
  // Isolated, so that a caller's thread that waits here does not pick up the caller's other tasks.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, pieces.count()), [&](const auto& range) {
      Lanes<Real>& machine = machines.local();
      for (std::int64_t piece = range.begin(); piece < range.end(); ++piece)
        pieces.evaluate(machine, piece, result);
    });
  });
  return result;
}

template <class Real>
ReferenceOutputs run(const Program& program, const model::Case& bound, const InputBuffers& inputs,
                     std::span<const std::int64_t> rows) {
  Contents<Real> contents = contents_of<Real>(program, bound, inputs);
  ReferenceOutputs outputs(bound.arguments.size());
  for (const BoundStatement& statement : program.statements) {
    const auto argument = std::ranges::find(program.result_of, statement.target);
    const bool is_output = argument != program.result_of.end();
    std::vector<Real> values =
        evaluate(program, statement, contents, is_output ? rows : std::span<const std::int64_t>{});
    if (is_output) {
      auto& output = outputs[static_cast<std::size_t>(argument - program.result_of.begin())];
      output.assign(values.begin(), values.end());
    }
    if (program.arrays[statement.target].integral) {
      contents.integral[statement.target].assign(values.begin(), values.end());
    } else {
      contents.floating[statement.target] = std::move(values);
    }
  }
  return outputs;
}

}  // namespace

model::Expected<ReferenceOutputs> run_formula(const Program& program, const model::Case& bound,
                                              const InputBuffers& inputs, FormulaType type,
                                              std::span<const std::int64_t> rows) {
  try {
    return type == FormulaType::f64 ? run<double>(program, bound, inputs, rows)
                                    : run<float>(program, bound, inputs, rows);
  } catch (const lanes::EvaluationStop& stop) {
    return tl::make_unexpected(stop.error);
  }
}

}  // namespace evo::evaluators::oracle
