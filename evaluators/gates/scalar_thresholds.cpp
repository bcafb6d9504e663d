#include "evaluators/gates/scalar_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "evaluators/gates/entry_steps.hpp"
#include "evaluators/gates/real_steps.hpp"

namespace evo::evaluators::gates {
namespace {

/// Further than a scalar is from what is asked of it.
constexpr int most_scalar_steps = 48;
constexpr std::size_t most_real_comparisons = 128, most_thresholds = 12, most_beside = 8, most_numbers = 512;
/// Without a range: as many times as large or as small as usual.
constexpr int octaves = 10;
constexpr int steps_of_a_range = 128;
/// No stretch between two thresholds is narrower, of the usual value.
constexpr double narrowest = 0x1p-26;
/// So far from a threshold, relatively, that no rounding decides.
constexpr double off_a_threshold = 0x1p-5;

/// Of what two sides are made, a step of real numbers gives a finite one where all that goes in is 1.
bool is_followed(const EntryStep& step) {
  return real_step(step.opcode, std::vector<double>(step.operands.size() - 1, 1.0)).has_value();
}

std::optional<double> real_number_in(const code::Operand& operand) {
  if (operand.address || operand.tokens.size() != 1) return std::nullopt;
  return code::real_of(operand.tokens[0]);
}

/// Comparisons of an entry whose sides are made of parameters and numbers.
class Comparisons {
 public:
  Comparisons(const code::PtxModule& module, const std::string& entry) : steps_(module, entry, is_followed) {
    for (const EntryStep& step : steps_.all()) {
      for (const code::Operand& operand : step.operands) {
        if (const auto number = real_number_in(operand); number && numbers_.size() < most_numbers)
          numbers_.insert({*number, -*number});
      }
      if (!compares_reals(step.opcode) || step.operands.size() < 3 || step.operands[0].address) continue;
      const auto first = sources_of(step.operands[1]), second = sources_of(step.operands[2]);
      if (!first || !second || asked_.size() >= most_real_comparisons) continue;
      std::set<std::size_t> sources = *first;
      sources.insert(second->begin(), second->end());
      if (!sources.empty()) asked_.push_back({&step, std::move(sources)});
    }
  }

  /// Those of the code, of either sign: where a distance from one is least.
  [[nodiscard]] const std::set<double>& numbers() const { return numbers_; }

  /// Of each comparison with parameter `place` in it: is the first side larger (1), or the second (-1)?
  [[nodiscard]] std::vector<std::optional<int>> outcomes(const std::vector<double>& parameters,
                                                         std::size_t place) const {
    Known known;
    std::vector<std::optional<int>> all;
    for (const Compared& one : asked_) {
      if (!one.sources.contains(place)) continue;
      const auto a = operand_value(one.step->operands[1], parameters, known, most_scalar_steps);
      const auto b = operand_value(one.step->operands[2], parameters, known, most_scalar_steps);
      all.push_back(a && b ? std::optional(*a > *b ? 1 : *a < *b ? -1 : 0) : std::nullopt);
    }
    return all;
  }

 private:
  struct Compared {
    const EntryStep* step;
    std::set<std::size_t> sources;
  };
  using Known = std::map<std::string_view, std::optional<double>>;

  [[nodiscard]] std::optional<std::set<std::size_t>> sources_of(const code::Operand& operand) {
    if (real_number_in(operand)) return std::set<std::size_t>();
    if (operand.address || operand.tokens.size() != 1) return std::nullopt;
    return steps_.parameters_in(operand.tokens[0].text, most_scalar_steps);
  }

  [[nodiscard]] std::optional<double> operand_value(const code::Operand& operand,
                                                    const std::vector<double>& parameters, Known& known,
                                                    int depth) const {
    if (const auto number = real_number_in(operand)) return number;
    if (operand.tokens.size() != 1 || depth == 0) return std::nullopt;
    const std::string_view name = operand.tokens[0].text;
    if (const auto before = known.find(name); before != known.end()) return before->second;
    const EntryStep* const step = steps_.writer_of(name);
    if (step == nullptr) return std::nullopt;
    if (const auto place = steps_.parameter_of(*step))
      return *place < parameters.size() ? std::optional(parameters[*place]) : std::nullopt;
    std::vector<double> operands;
    for (std::size_t i = 1; i < step->operands.size(); ++i) {
      const auto value = operand_value(step->operands[i], parameters, known, depth - 1);
      if (!value) return known[name] = std::nullopt;
      operands.push_back(*value);
    }
    return known[name] = real_step(step->opcode, operands);
  }

  EntrySteps steps_;
  std::vector<Compared> asked_;
  std::set<double> numbers_;
};

/// Numbers between which a comparison may change, ascending: `numbers`, and some as far apart as is told.
std::vector<double> ladder_of(const ScalarBounds& bounds, const std::set<double>& numbers) {
  const double usual = bounds.usual == 0 ? 1 : bounds.usual, far = std::exp2(octaves);
  std::set<double> all = numbers;
  if (!bounds.has_range)
    std::erase_if(all, [&](double value) { return !(value / usual > 1 / far && value / usual < far); });
  for (int half = -2 * octaves; half <= 2 * octaves; ++half) all.insert(usual * std::exp2(0.5 * half));
  if (bounds.has_range) {
    all.insert({0, bounds.least, bounds.most});
    for (int step = 1; step < steps_of_a_range; ++step)
      all.insert(bounds.least + (bounds.most - bounds.least) * step / steps_of_a_range);
    std::erase_if(all, [&](double value) { return !(value >= bounds.least && value <= bounds.most); });
  }
  return {all.begin(), all.end()};
}

bool same_number(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

std::vector<double> changes_of(const Comparisons& comparisons, const std::vector<double>& parameters,
                               std::size_t place, const ScalarBounds& bounds) {
  std::vector<double> values = parameters;
  if (place >= values.size()) return {};
  const auto outcomes_at = [&](double value) {
    values[place] = value;
    return comparisons.outcomes(values, place);
  };
  std::vector<double> found;
  std::vector<std::optional<int>> before;
  double last = 0;
  for (const double value : ladder_of(bounds, comparisons.numbers())) {
    const std::vector<std::optional<int>> now = outcomes_at(value);
    for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
      if (!before[i] || !now[i] || *before[i] == *now[i]) continue;
      double low = last, high = value;
      constexpr int halvings = 60;
      for (int step = 0; step < halvings; ++step) {
        const double middle = low + (high - low) / 2;
        (outcomes_at(middle)[i] == before[i] ? low : high) = middle;
      }
      found.push_back(high);
    }
    before = now;
    last = value;
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end(), same_number), found.end());
  if (found.size() > most_thresholds) {
    std::ranges::stable_sort(found, {}, [&](double value) { return std::abs(value - bounds.usual); });
    found.resize(most_thresholds);
    std::ranges::sort(found);
  }
  return found;
}

}  // namespace

std::vector<double> thresholds_of(const code::PtxModule& module, const std::string& entry,
                                  const std::vector<double>& parameters, std::size_t place,
                                  const ScalarBounds& bounds) {
  return changes_of(Comparisons(module, entry), parameters, place, bounds);
}

std::vector<double> beside_thresholds(const std::vector<double>& thresholds, const ScalarBounds& bounds) {
  const double usual = bounds.usual == 0 ? 1 : bounds.usual;
  const double far = std::exp2(octaves);
  std::vector<double> edges{bounds.has_range ? bounds.least : std::min(usual / far, usual * far)};
  edges.insert(edges.end(), thresholds.begin(), thresholds.end());
  edges.push_back(bounds.has_range ? bounds.most : std::max(usual / far, usual * far));
  struct Stretch {
    double distance, next, further;
  };
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double low = edges[i], high = edges[i + 1], width = high - low;
    // Next to 0 a comparison changes between 0 and the least number that is asked: no code means that one.
    const bool narrow = !(width > narrowest * std::max(std::abs(usual), std::abs(low)));
    if (narrow || (bounds.usual > low && bounds.usual < high)) continue;
    const bool above = low >= bounds.usual;
    const double edge = above ? low : high;
    const double off =
        std::min(std::max(std::abs(edge) * off_a_threshold, 0x1p-30 * std::abs(usual)), width / 4);
    const double next = above ? edge + off : edge - off;
    // A quarter of the stretch or twice as large, half as small, whichever is nearer.
    const double more = std::min(width / 2, std::max(std::abs(edge) / 2, off));
    stretches.push_back({std::abs(next - bounds.usual), next, above ? edge + more : edge - more});
  }
  std::ranges::stable_sort(stretches, {}, &Stretch::distance);
  std::vector<double> values;
  for (const Stretch& stretch : stretches) {
    for (const double value : {stretch.next, stretch.further}) {
      const bool fits = !bounds.has_range || (value >= bounds.least && value <= bounds.most);
      if (fits && std::ranges::find(values, value) == values.end() && values.size() < most_beside)
        values.push_back(value);
    }
  }
  return values;
}

namespace {

std::optional<ScalarBounds> scalar_bounds_of(const model::Problem& problem, const model::Case& bound,
                                             std::size_t i) {
  if (i >= problem.arguments.size() || i >= bound.arguments.size()) return std::nullopt;
  const model::Argument& declared = problem.arguments[i];
  if (declared.role != model::ArgumentRole::scalar || !model::is_floating(declared.dtype) ||
      declared.neutral || declared.fixed)
    return std::nullopt;
  ScalarBounds bounds;
  bounds.usual = bound.arguments[i].scalar_float;
  if (declared.range) {
    bounds.least = declared.range->least;
    bounds.most = declared.range->most;
    bounds.has_range = true;
  }
  return bounds;
}

}  // namespace

void find_thresholds(const model::Problem& problem, const model::Artifact& artifact,
                     const model::LaunchPlan& launch, const model::Case& bound,
                     std::map<std::size_t, std::vector<double>>& found) {
  const code::PtxModule module(artifact.ptx);
  std::set<std::uint32_t> seen;
  for (const model::LaunchPlan* plan : model::kernels_of(launch)) {
    if (!plan->structs.empty() || plan->kernel > artifact.others.size() || !seen.insert(plan->kernel).second)
      continue;
    const std::string& entry = plan->kernel == 0 ? artifact.entry : artifact.others[plan->kernel - 1].entry;
    std::vector<double> parameters;
    std::vector<std::size_t> arguments;
    const std::size_t taken = plan->arguments ? plan->arguments->size() : bound.arguments.size();
    for (std::size_t place = 0; place < taken; ++place) {
      arguments.push_back(plan->arguments ? (*plan->arguments)[place] : place);
      const std::size_t i = arguments.back();
      if (i >= bound.arguments.size()) return;
      const model::BoundArgument& argument = bound.arguments[i];
      const bool scalar = argument.role == model::ArgumentRole::scalar;
      parameters.push_back(!scalar ? std::numeric_limits<double>::quiet_NaN()
                           : model::is_floating(argument.dtype)
                               ? argument.scalar_float
                               : static_cast<double>(argument.scalar_integer));
    }
    const Comparisons comparisons(module, entry);
    for (std::size_t place = 0; place < taken; ++place) {
      const auto bounds = scalar_bounds_of(problem, bound, arguments[place]);
      if (!bounds) continue;
      const std::vector<double> more = changes_of(comparisons, parameters, place, *bounds);
      if (!more.empty()) {
        std::vector<double>& all = found[arguments[place]];
        all.insert(all.end(), more.begin(), more.end());
      }
    }
  }
}

std::map<std::size_t, std::vector<double>> scalars_beside(
    const model::Problem& problem, const model::Case& bound,
    const std::map<std::size_t, std::vector<double>>& thresholds) {
  std::map<std::size_t, std::vector<double>> values;
  for (const auto& [i, of_it] : thresholds) {
    const auto bounds = scalar_bounds_of(problem, bound, i);
    if (!bounds) continue;
    std::vector<double> all = of_it;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end(), same_number), all.end());
    values[i] = beside_thresholds(all, *bounds);
  }
  return values;
}

}  // namespace evo::evaluators::gates
