#include "diagnose/answers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {
namespace {

namespace oracle = evaluators::oracle;
using model::ArgumentRole;
using model::BoundArgument;
using Coordinates = std::vector<std::int64_t>;

constexpr double log2_e = 1.4426950408889634;
/// A reference of more floating-point operations is not asked for again and again.
constexpr double most_answer_flops = 1 << 25;

/// How far `actual` is from `expected`, over the elements of `mask` (empty: all). NaN where one has a NaN or
/// an infinity and the other not, in more than a hundredth.
double distance(const std::vector<double>& actual, const std::vector<double>& expected,
                const std::vector<bool>& mask) {
  double error = 0, norm = 0;
  std::size_t apart = 0, finite = 0, all = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!mask.empty() && !mask[i]) continue;
    ++all;
    if (std::isfinite(actual[i]) != std::isfinite(expected[i])) ++apart;
    if (!std::isfinite(actual[i]) || !std::isfinite(expected[i])) continue;
    ++finite;
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  if (all == 0 || 100 * apart > all || (finite == 0 && apart > 0)) return std::nan("");
  if (finite == 0) return 0;  // NaNs in the same places
  return norm > 0 ? std::sqrt(error / norm) : (error > 0 ? std::nan("") : 0);
}

class Hypotheses {
 public:
  Hypotheses(const Subject& subject, const Observation& seen)
      : subject_(subject), seen_(seen), oracle_(subject.known.find_oracle(subject.problem.oracle)) {}

  /// `fitting`: every mistake under which the outputs would be as they are, also where these are right.
  std::vector<Answer> run(bool fitting = false) {
    fitting_ = fitting;
    if (oracle_ == nullptr || seen_.bound.flops > most_answer_flops) return {};
    for (std::size_t i = 0; i < seen_.bound.arguments.size(); ++i) {
      if (!seen_.comparisons[i] || (!fitting && seen_.comparisons[i]->pass) || seen_.contents[i].empty())
        continue;
      output_ = i;
      const BoundArgument& argument = seen_.bound.arguments[i];
      if (oracle::element_count(argument) != static_cast<std::int64_t>(seen_.references[i].size())) continue;
      actual_ = oracle::load_array(argument, seen_.contents[i]);
      all();
    }
    std::stable_sort(answers_.begin(), answers_.end(),
                     [](const Answer& a, const Answer& b) { return a.error < b.error; });
    return std::move(answers_);
  }

 private:
  void all() {
    for (std::size_t i = 0; i < seen_.bound.arguments.size(); ++i) {
      const BoundArgument& argument = seen_.bound.arguments[i];
      if (argument.role == ArgumentRole::scalar) scalar(i);
      if (model::is_given(argument.role)) input(i);
    }
    outputs();
    for (const model::Axis& axis : subject_.problem.axes) {
      if (!axis.compile_time) sizes(axis.name);
    }
    if (oracle_->compute_mistakes == nullptr) return;
    for (const oracle::MistakenOutputs& mistake : oracle_->compute_mistakes(seen_.bound, seen_.inputs))
      weigh(mistake.name, {}, mistake.text, mistake.outputs[output_]);
  }

  /// Adds the answer where the outputs agree with it much better than with what is right.
  void weigh(const std::string& name, const std::string& argument, const std::string& text,
             const std::vector<double>& expected, const std::vector<bool>& mask = {}) {
    if (expected.size() != actual_.size()) return;
    const double from_right = distance(actual_, seen_.references[output_], mask);
    const double from_this = distance(actual_, expected, mask);
    const double near = std::max(4 * close_error(subject_), 1e-5);
    if (std::isnan(from_this) || from_this > near) return;
    if (fitting_) {
      answers_.push_back({name, argument, text, from_this});
      return;
    }
    if (!std::isnan(from_right) && from_this > 0.2 * from_right) return;
    // What is the same as the right answer here says nothing.
    const double apart = distance(expected, seen_.references[output_], mask);
    if (!std::isnan(apart) && apart < 2 * close_error(subject_)) return;
    answers_.push_back({name, argument, text, from_this});
  }

  void ask(const std::string& name, const std::string& argument, const std::string& text,
           const model::Case& bound, const oracle::InputBuffers& inputs) {
    const auto outputs = oracle_->compute(bound, inputs);
    if (outputs) weigh(name, argument, text, (*outputs)[output_]);
  }

  void scalar(std::size_t i) {
    const BoundArgument& argument = seen_.bound.arguments[i];
    if (oracle::is_floating(argument.dtype)) {
      const double v = argument.scalar_float;
      const std::vector<std::pair<double, const char*>> others{{1, "1"},
                                                               {0, "0"},
                                                               {v * v, "its square"},
                                                               {v != 0 ? 1 / v : 1, "its inverse"},
                                                               {2 * v, "twice of it"},
                                                               {v / 2, "half of it"},
                                                               {v * log2_e, "log2(e) times it"},
                                                               {v / log2_e, "ln(2) times it"},
                                                               {-v, "its negative"},
                                                               {std::sqrt(std::abs(v)), "its root"}};
      for (const auto& [value, what] : others) {
        if (value == v) continue;
        model::Case bound = seen_.bound;
        bound.arguments[i].scalar_float = value;
        ask("scalar_other", argument.name, fmt::format("{} counts as {}", argument.name, what), bound,
            seen_.inputs);
      }
      return;
    }
    const model::Axis* axis = subject_.problem.find_axis(argument.name);
    if (axis == nullptr || axis->allowed.size() != 2 || axis->allowed[0] + axis->allowed[1] != 1) return;
    model::Case bound = seen_.bound;
    bound.arguments[i].scalar_integer = 1 - argument.scalar_integer;
    ask("flag_ignored", argument.name,
        fmt::format("{} counts as {}", argument.name, 1 - argument.scalar_integer), bound, seen_.inputs);
  }

  /// The input with element `at` taken from where `from` says; a zero where it says nowhere.
  void moved(const std::string& name, std::size_t i, const std::string& text,
             const std::function<std::optional<Coordinates>(const Coordinates&)>& from) {
    const BoundArgument& argument = seen_.bound.arguments[i];
    const std::vector<double> values = oracle::load_array(argument, seen_.inputs[i]);
    ask(name, argument.name, text, seen_.bound, with(i, moved_values(argument, values, from)));
  }

  [[nodiscard]] static std::vector<double> moved_values(
      const BoundArgument& argument, const std::vector<double>& values,
      const std::function<std::optional<Coordinates>(const Coordinates&)>& from) {
    std::vector<double> result(values.size(), 0);
    for (std::size_t e = 0; e < values.size(); ++e) {
      const auto source = from(oracle::coordinates_of(argument, static_cast<std::int64_t>(e)));
      if (!source) continue;
      std::int64_t flat = 0;
      bool inside = true;
      for (std::size_t d = 0; d < source->size(); ++d) {
        inside = inside && (*source)[d] >= 0 && (*source)[d] < argument.shape[d];
        flat = flat * argument.shape[d] + (*source)[d];
      }
      if (inside) result[e] = values[static_cast<std::size_t>(flat)];
    }
    return result;
  }

  /// The inputs with other values in argument `i`.
  [[nodiscard]] oracle::InputBuffers with(std::size_t i, const std::vector<double>& values) const {
    oracle::InputBuffers inputs = seen_.inputs;
    const BoundArgument& argument = seen_.bound.arguments[i];
    const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
    const std::int64_t size = model::size_of(argument.dtype);
    for (std::size_t e = 0; e < offsets.size(); ++e)
      oracle::store_element(argument.dtype, values[e], inputs[i].data() + offsets[e] * size);
    return inputs;
  }

  void input(std::size_t i) {
    const BoundArgument& argument = seen_.bound.arguments[i];
    const std::vector<double> values = oracle::load_array(argument, seen_.inputs[i]);
    if (values.empty()) return;
    for (std::size_t j = 0; j < seen_.bound.arguments.size(); ++j) {
      const BoundArgument& other = seen_.bound.arguments[j];
      if (j == i || other.role != ArgumentRole::input || other.dtype != argument.dtype ||
          other.shape != argument.shape)
        continue;
      const std::vector<double> others = oracle::load_array(other, seen_.inputs[j]);
      ask("input_replaced", argument.name,
          fmt::format("{} is read in place of {}", other.name, argument.name), seen_.bound, with(i, others));
      if (j < i) continue;
      oracle::InputBuffers swapped = with(i, others);
      swapped[j] = with(j, values)[j];
      ask("inputs_exchanged", argument.name,
          fmt::format("{} and {} are exchanged", argument.name, other.name), seen_.bound, swapped);
    }
    std::vector<std::pair<double, std::string>> factors{
        {-1, "its negative"}, {0, "zero"}, {2, "twice of it"}, {0.5, "half of it"}};
    for (const BoundArgument& other : seen_.bound.arguments) {
      if (other.role == ArgumentRole::scalar && oracle::is_floating(other.dtype) && other.scalar_float != 1)
        factors.emplace_back(other.scalar_float, fmt::format("{} times it", other.name));
    }
    for (const auto& [factor, what] : factors) {
      std::vector<double> scaled = values;
      for (double& value : scaled) value *= factor;
      ask(factor == 0 ? "input_ignored" : "input_scaled", argument.name,
          fmt::format("{} counts as {}", argument.name, what), seen_.bound, with(i, scaled));
    }
    places(i);
  }

  /// Elements of an input that are read from another place.
  void places(std::size_t i) {
    const BoundArgument& argument = seen_.bound.arguments[i];
    const std::size_t rank = argument.shape.size();
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t length = argument.shape[d];
      if (length < 2) continue;
      const bool leading = d + 2 < rank;
      const std::string what = d + 1 == rank ? "element" : d + 2 == rank ? "row" : "slice";
      for (const std::int64_t step : {-1, 1}) {
        moved("input_shifted", i,
              fmt::format("{}: the {} {} each is read", argument.name, what, step > 0 ? "after" : "before"),
              [&](Coordinates at) {
                at[d] = std::clamp<std::int64_t>(at[d] + step, 0, length - 1);
                return at;
              });
      }
      if (leading) {
        moved("input_first_slice", i,
              fmt::format("{}: the first slice of dimension {} is read for all", argument.name, d),
              [&](Coordinates at) {
                at[d] = 0;
                return at;
              });
        continue;
      }
      for (const std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
        if (tile >= length) break;
        moved("input_tile_repeated", i,
              fmt::format("{}: {}s of the first {} are read again and again", argument.name, what, tile),
              [&](Coordinates at) {
                at[d] %= tile;
                return at;
              });
        for (const std::int64_t step : {-tile, tile}) {
          const std::string text = fmt::format("{}: the tile of {} {}s {} is read", argument.name, tile, what,
                                               step > 0 ? "after" : "before");
          // Where there is no such tile its own is read; past the end of the last one zeros are, or the last
          // row.
          for (const bool zeros : {true, false}) {
            moved("input_other_tile", i, text, [&](Coordinates at) {
              const std::int64_t first = at[d] / tile * tile + step;
              if (first < 0 || first >= length) return at;
              at[d] = at[d] + step < length || zeros ? at[d] + step : length - 1;
              return at;
            });
          }
        }
      }
    }
    if (rank < 2 || argument.shape[rank - 1] < 2 || argument.shape[rank - 2] < 2) return;
    const std::int64_t rows = argument.shape[rank - 2], columns = argument.shape[rank - 1];
    moved("input_transposed", i, fmt::format("{} is read as if it lay by columns", argument.name),
          [&](Coordinates at) {
            const std::int64_t flat = at[rank - 1] * rows + at[rank - 2];
            at[rank - 2] = flat / columns;
            at[rank - 1] = flat % columns;
            return at;
          });
  }

  void outputs() {
    const BoundArgument& argument = seen_.bound.arguments[output_];
    const std::vector<double>& right = seen_.references[output_];
    const std::size_t rank = argument.shape.size();
    for (std::size_t d = 0; d < rank; ++d) {
      if (argument.shape[d] < 2) continue;
      for (const std::int64_t step : {-1, 1}) {
        const std::vector<double> shifted = moved_values(argument, right, [&](Coordinates at) {
          at[d] += step;
          return at;
        });
        std::vector<bool> mask(right.size());
        for (std::size_t e = 0; e < mask.size(); ++e) {
          const std::int64_t to = oracle::coordinates_of(argument, static_cast<std::int64_t>(e))[d] + step;
          mask[e] = to >= 0 && to < argument.shape[d];
        }
        weigh("output_shifted", argument.name,
              fmt::format("what belongs {} {} stands there", step > 0 ? "after" : "before",
                          d + 1 == rank ? "an element" : "a row"),
              shifted, mask);
      }
    }
    if (rank >= 2 && argument.shape[rank - 1] > 1 && argument.shape[rank - 2] > 1) {
      const std::int64_t rows = argument.shape[rank - 2], columns = argument.shape[rank - 1];
      weigh("output_transposed", argument.name, "it is stored as if it lay by columns",
            moved_values(argument, right, [&](Coordinates at) {
              const std::int64_t flat = at[rank - 2] * columns + at[rank - 1];
              at[rank - 2] = flat % rows;
              at[rank - 1] = flat / rows;
              return at;
            }));
    }
    factors(argument, right);
  }

  /// One factor over all, or one for each row.
  void factors(const BoundArgument& argument, const std::vector<double>& right) {
    const std::int64_t columns = argument.shape.empty() ? 1 : argument.shape.back();
    if (columns < 4 || argument.shape.size() < 2) return;
    std::vector<double> scaled(right.size());
    double least = std::numeric_limits<double>::infinity(), most = -least;
    const auto rows = static_cast<std::int64_t>(right.size()) / columns;
    for (std::int64_t row = 0; row < rows; ++row) {
      double dot = 0, norm = 0;
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto e = static_cast<std::size_t>(row * columns + c);
        if (!std::isfinite(actual_[e])) continue;
        dot += actual_[e] * right[e];
        norm += right[e] * right[e];
      }
      const double factor = norm > 0 ? dot / norm : 1;
      least = std::min(least, factor);
      most = std::max(most, factor);
      for (std::int64_t c = 0; c < columns; ++c)
        scaled[static_cast<std::size_t>(row * columns + c)] =
            factor * right[static_cast<std::size_t>(row * columns + c)];
    }
    if (most - least < 1e-3 * std::abs(most)) {
      weigh("constant_factor", argument.name,
            fmt::format("all of {} is {:.4g} times what it should be", argument.name, most), scaled);
    } else {
      weigh("row_factor", argument.name,
            fmt::format("each row of {} is off by a factor of its own, {:.4g} to {:.4g}", argument.name,
                        least, most),
            scaled);
    }
  }

  /// The answer to a smaller or larger problem, of which the outputs have a part: what lies past a bound does
  /// not count, or zeros past the end do.
  void sizes(const std::string& axis) {
    const std::int64_t now = seen_.bound.axes.at(axis);
    std::set<std::int64_t> tried;
    for (const std::int64_t tile : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
      const std::int64_t less = tile == 1 ? now - 1 : now / tile * tile;
      const std::int64_t more = tile == 1 ? now + 1 : (now + tile - 1) / tile * tile;
      if (less > 0 && less < now && tried.insert(less).second) size(axis, less);
      if (more > now && tried.insert(more).second) size(axis, more);
      if (tile > 1 && now - tile > 0 && tried.insert(now - tile).second) size(axis, now - tile);
    }
  }

  void size(const std::string& axis, std::int64_t value) {
    model::Workload workload;
    workload.axes = seen_.bound.axes;
    const std::int64_t now = workload.axes.at(axis);
    workload.axes[axis] = value;
    auto bound = model::bind_case(subject_.problem, subject_.kernel, subject_.space,
                                  subject_.candidate.genome, workload);
    if (!bound || bound->flops > most_answer_flops || oracle::has_far_view(*bound)) return;
    oracle::InputBuffers inputs(bound->arguments.size());
    bool in_shape = false;
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      const BoundArgument &to = bound->arguments[i], &from = seen_.bound.arguments[i];
      in_shape = in_shape || to.shape != from.shape;
      if (to.role == ArgumentRole::scalar && oracle::is_floating(to.dtype))
        bound->arguments[i].scalar_float = from.scalar_float;
      if (to.role != ArgumentRole::input) continue;
      const std::vector<double> values = oracle::load_array(from, seen_.inputs[i]);
      inputs[i].assign(static_cast<std::size_t>(oracle::buffer_bytes(to)), std::byte{0});
      const std::vector<std::int64_t> offsets = oracle::element_offsets(to);
      for (std::size_t e = 0; e < offsets.size(); ++e) {
        const auto at = flat_in(from, oracle::coordinates_of(to, static_cast<std::int64_t>(e)));
        if (at)
          oracle::store_element(to.dtype, values[*at],
                                inputs[i].data() + offsets[e] * model::size_of(to.dtype));
      }
    }
    if (!in_shape) return;
    const auto outputs = oracle_->compute(*bound, inputs);
    if (!outputs) return;
    const BoundArgument &to = bound->arguments[output_], &from = seen_.bound.arguments[output_];
    std::vector<double> expected(actual_.size(), 0);
    std::vector<bool> mask(actual_.size(), false);
    for (std::size_t e = 0; e < (*outputs)[output_].size(); ++e) {
      const auto at = flat_in(from, oracle::coordinates_of(to, static_cast<std::int64_t>(e)));
      if (!at) continue;
      expected[*at] = (*outputs)[output_][e];
      mask[*at] = true;
    }
    weigh(value < now ? "elements_dropped" : "padding_counted", axis,
          value < now ? fmt::format("only the first {} of {}={} count", value, axis, now)
                      : fmt::format("{} zeros past the end of {}={} count too", value - now, axis, now),
          expected, mask);
  }

  [[nodiscard]] static std::optional<std::size_t> flat_in(const BoundArgument& argument,
                                                          const Coordinates& at) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (at[d] >= argument.shape[d]) return std::nullopt;
      flat = flat * argument.shape[d] + at[d];
    }
    return static_cast<std::size_t>(flat);
  }

  const Subject& subject_;
  const Observation& seen_;
  const oracle::Oracle* oracle_;
  bool fitting_ = false;
  std::size_t output_ = 0;
  std::vector<double> actual_;
  std::vector<Answer> answers_;
};

}  // namespace

std::vector<Answer> find_answers(const Subject& subject, const Observation& seen) {
  return Hypotheses(subject, seen).run();
}

std::vector<Answer> confirmed_answers(Lab& lab, const Setup& setup, const Observation& seen) {
  constexpr int most_sets = 4;
  const Subject& subject = lab.subject();
  std::vector<Answer> answers = find_answers(subject, seen);
  int asked = 0;
  for (std::size_t set = 0; set < subject.input_sets.size() && asked < most_sets && answers.size() > 1;
       ++set) {
    if (set == setup.input_set || lab.expired()) continue;
    Setup other = setup;
    other.input_set = set;
    const Observation again = lab.observe(other);
    if (again.failed() && again.failure->status != model::Status::wrong) continue;
    ++asked;
    const std::vector<Answer> there = Hypotheses(subject, again).run(!again.failed());
    std::vector<Answer> both;
    for (const Answer& answer : answers) {
      const bool holds = std::any_of(there.begin(), there.end(), [&](const Answer& known) {
        return known.name == answer.name && known.argument == answer.argument;
      });
      if (holds) both.push_back(answer);
    }
    // Where no mistake explains it at all, the set is a special one.
    if (!both.empty()) answers = std::move(both);
  }
  return answers;
}

}  // namespace evo::diagnose
