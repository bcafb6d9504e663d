#include "engine/joint_effects.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <boost/math/distributions/students_t.hpp>

#include "engine/ridge.hpp"

namespace evo::engine {
namespace {

constexpr std::int64_t fewest_trials = 8;
constexpr std::size_t most_pairs = 12, looked_at_closely = 32;
constexpr std::size_t rows_a_pair = 4;  // one more pair for each so many trials, and a pair occurs so often

/// A gene with a value that the reference has not; no value: the trial lacks the gene.
using Departure = std::pair<std::string, std::optional<model::Value>>;

std::vector<Departure> departures(const model::Genome& genome, const model::Genome& reference) {
  std::vector<Departure> found;
  for (const auto& [gene, value] : genome.values()) {
    const auto own = reference.values().find(gene);
    if (own == reference.values().end() || own->second != value) found.emplace_back(gene, value);
  }
  for (const auto& [gene, value] : reference.values())
    if (!genome.values().contains(gene)) found.emplace_back(gene, std::nullopt);
  return found;
}

/// Student's quantile for intervals that hold together, so many of them: half of the error is for genes, half
/// for pairs.
double joint_quantile(double degrees, std::size_t intervals, double error) {
  const double each = error / 2 / static_cast<double>(std::max<std::size_t>(intervals, 1));
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t_distribution<double>(degrees), each / 2));
}

struct Pair {
  std::size_t first, second;
  std::vector<std::size_t> rows;
};

/// Pairs of values of two genes that occur together often enough, and not always when one of them does: such
/// a pair is that value.
std::vector<Pair> pairs_of(const LinearData& data) {
  std::vector<std::size_t> count(data.columns, 0);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> together;
  for (std::size_t row = 0; row < data.rows.size(); ++row) {
    const auto& columns = data.rows[row];
    for (std::size_t i = 1; i < columns.size(); ++i) {
      ++count[columns[i]];
      for (std::size_t j = i + 1; j < columns.size(); ++j) together[{columns[i], columns[j]}].push_back(row);
    }
  }
  std::vector<Pair> pairs;
  for (auto& [columns, rows] : together) {
    const bool apart = rows.size() < count[columns.first] && rows.size() < count[columns.second];
    if (rows.size() >= rows_a_pair && apart)
      pairs.push_back({columns.first, columns.second, std::move(rows)});
  }
  return pairs;
}

/// The change of the fit that a pair's column would bring, in standard deviations: the residuals' share in
/// what of the column the others do not explain.
double strength(const Pair& pair, const LinearData& data, const LinearFit& fit) {
  std::vector<double> shared(data.columns, 0.0);
  double along = 0;
  for (const std::size_t row : pair.rows) {
    along += fit.residuals[row];
    for (const std::size_t column : data.rows[row]) shared[column] += 1;
  }
  double explained = 0;
  for (std::size_t i = 0; i < data.columns; ++i) {
    if (shared[i] == 0) continue;
    for (std::size_t j = 0; j < data.columns; ++j)
      explained += shared[i] * fit.inverse[i * data.columns + j] * shared[j];
  }
  const double own = static_cast<double>(pair.rows.size()) - explained;
  return own < 0.05 ? 0 : std::abs(along) / (fit.noise * std::sqrt(own));
}

/// The strongest pair, looked for closely among those whose residuals are odd; nullopt if none is left.
std::optional<std::size_t> strongest(const std::vector<Pair>& pairs, const std::vector<std::size_t>& taken,
                                     const LinearData& data, const LinearFit& fit, double& best) {
  std::vector<std::pair<double, std::size_t>> odd;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (std::find(taken.begin(), taken.end(), i) != taken.end()) continue;
    double along = 0;
    for (const std::size_t row : pairs[i].rows) along += fit.residuals[row];
    odd.emplace_back(-std::abs(along) / std::sqrt(static_cast<double>(pairs[i].rows.size())), i);
  }
  const auto close = std::min(odd.size(), looked_at_closely);
  std::partial_sort(odd.begin(), odd.begin() + static_cast<std::ptrdiff_t>(close), odd.end());
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < close; ++i) {
    const double own = strength(pairs[odd[i].second], data, fit);
    if (found && own <= best) continue;
    best = own;
    found = odd[i].second;
  }
  return found;
}

/// Adds pairs to the data as long as they are significant; the pairs that were taken, in the order of their
/// columns.
std::vector<std::size_t> add_pairs(LinearData& data, LinearFit& fit, const std::vector<Pair>& pairs,
                                   double error) {
  std::vector<std::size_t> taken;
  while (taken.size() < std::min(most_pairs, data.rows.size() / rows_a_pair)) {
    double best = 0;
    const auto next = strongest(pairs, taken, data, fit, best);
    if (!next || best < joint_quantile(fit.degrees, pairs.size(), error)) break;
    taken.push_back(*next);
    for (const std::size_t row : pairs[*next].rows) data.rows[row].push_back(data.columns);
    ++data.columns;
    fit = fit_linear(data);
  }
  return taken;
}

}  // namespace

JointFit joint_effects_of(std::span<const JointRow> rows, std::size_t levels, const model::Genome& reference,
                          double error) {
  JointFit result;
  result.trials = static_cast<std::int64_t>(rows.size());
  if (result.trials < fewest_trials) return result;
  LinearData data;
  data.columns = data.shrunk = levels;
  std::map<Departure, std::size_t> column_of;
  std::vector<std::vector<Departure>> departures_of;
  for (const JointRow& row : rows) {
    departures_of.push_back(departures(*row.genome, reference));
    data.y.push_back(row.y);
    for (const Departure& one : departures_of.back()) column_of.emplace(one, 0);
  }
  for (auto& [departure, column] : column_of) column = data.columns++;
  std::vector<std::int64_t> count(data.columns, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::size_t> columns{rows[i].level};
    for (const Departure& one : departures_of[i]) columns.push_back(column_of.at(one));
    for (const std::size_t column : columns) ++count[column];
    data.rows.push_back(std::move(columns));
  }
  const std::size_t genes = column_of.size(), first_pair = data.columns;
  const std::vector<Pair> pairs = pairs_of(data);
  LinearFit fit = fit_linear(data);
  const std::vector<std::size_t> taken = add_pairs(data, fit, pairs, error);
  result.noise = fit.noise;
  const auto put = [&](model::Environment values, std::size_t column, std::size_t intervals,
                       std::int64_t trials) {
    const double half = joint_quantile(fit.degrees, intervals, error) * fit.deviations[column];
    const double effect = fit.coefficients[column];
    result.effects.push_back({std::move(values), effect, {effect - half, effect + half}, trials});
  };
  std::map<std::size_t, Departure> departure_of;
  for (const auto& [departure, column] : column_of) {
    departure_of.emplace(column, departure);
    if (departure.second && count[column] >= 2)
      put({{departure.first, *departure.second}}, column, genes, count[column]);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const Pair& pair = pairs[taken[i]];
    const Departure &first = departure_of.at(pair.first), &second = departure_of.at(pair.second);
    if (!first.second || !second.second) continue;
    put({{first.first, *first.second}, {second.first, *second.second}}, first_pair + i, pairs.size(),
        static_cast<std::int64_t>(pair.rows.size()));
  }
  return result;
}

JointFit joint_effects(std::span<const std::span<const TrialRecord>> histories,
                       std::string_view template_name, const model::Genome& reference) {
  std::vector<JointRow> rows;
  for (std::size_t run = 0; run < histories.size(); ++run) {
    for (const TrialRecord& trial : histories[run]) {
      const auto latency = trial.latency();
      if (trial.template_name != template_name || !trial.correct() || !latency) continue;
      rows.push_back({run, &trial.genome, std::log(latency->microseconds)});
    }
  }
  return joint_effects_of(rows, histories.size(), reference, joint_error);
}

}  // namespace evo::engine
