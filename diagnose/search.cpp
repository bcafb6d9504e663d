#include "diagnose/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/reduce.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {
namespace {

namespace oracle = evaluators::oracle;

/// On the virtual device a launch of more floating-point operations takes seconds.
constexpr double most_set_flops = 1 << 27;
constexpr int repeated_launches = 4;
/// There are tens of sets that nobody declared.
constexpr double most_undeclared_flops = 1 << 21;
constexpr std::size_t few_drawn = 4;

double flops_of(const Subject& subject, const model::Workload& workload) {
  const auto bound = model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                      subject.candidate.genome, workload);
  return bound ? bound->flops : 0;
}

std::vector<model::Workload> affordable(const Subject& subject, const std::vector<model::Workload>& workloads,
                                        std::vector<std::string>& notes) {
  std::vector<std::pair<double, model::Workload>> priced;
  for (const model::Workload& workload : workloads)
    priced.emplace_back(flops_of(subject, workload), workload);
  std::stable_sort(priced.begin(), priced.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<model::Workload> chosen;
  for (auto& [flops, workload] : priced) {
    if (flops <= most_set_flops || chosen.empty()) {
      chosen.push_back(std::move(workload));
    } else {
      notes.push_back(
          fmt::format("workload {} was not tried: it is too large for the virtual device", workload.name));
    }
  }
  return chosen;
}

/// Buffers that take seconds to fill, where a view with 64-bit strides in the same place takes none.
bool is_vast(const Subject& subject, const model::Workload& workload) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 27;
  const auto bound = model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                      subject.candidate.genome, workload);
  return bound && oracle::case_bytes(*bound) > most_bytes;
}

std::optional<Failing> attempt(Lab& lab, const Setup& setup) {
  Observation seen = lab.observe(setup);
  if (!seen.failed()) return std::nullopt;
  return Failing{setup, std::move(seen)};
}

Range bounds_of(const model::Axis& axis) {
  Range range;
  range.listed = axis.allowed;
  range.low = axis.minimum.value_or(1);
  range.step = axis.multiple_of.value_or(1);
  if (range.low % range.step != 0) range.low += range.step - range.low % range.step;
  return range;
}

std::string row_list(const std::vector<std::int64_t>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", rows[i]);
    if (end - i > 1) text += fmt::format(" to {}", rows[end - 1]);
    i = end;
  }
  return text;
}

/// A row of an input: all elements that differ in the last coordinate only.
struct InputRow {
  std::size_t argument = 0;
  std::int64_t row = 0;
};

std::int64_t row_count(const model::BoundArgument& argument) {
  const std::int64_t columns = argument.shape.empty() ? 1 : argument.shape.back();
  return columns == 0 ? 0 : oracle::element_count(argument) / columns;
}

oracle::InputBuffers only(const Observation& seen, const std::vector<InputRow>& kept) {
  std::map<std::size_t, std::set<std::int64_t>> rows;
  for (const InputRow& row : kept) rows[row.argument].insert(row.row);
  oracle::InputBuffers inputs = seen.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const model::BoundArgument& argument = seen.bound.arguments[i];
    if (argument.role != model::ArgumentRole::input) continue;
    const std::int64_t columns = argument.shape.empty() ? 1 : argument.shape.back();
    const auto size = static_cast<std::size_t>(model::size_of(argument.dtype));
    const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
    for (std::size_t e = 0; e < offsets.size(); ++e) {
      if (rows[i].contains(static_cast<std::int64_t>(e) / columns)) continue;
      const auto at = inputs[i].begin() + offsets[e] * static_cast<std::int64_t>(size);
      std::fill(at, at + static_cast<std::ptrdiff_t>(size), std::byte{0});
    }
  }
  return inputs;
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

/// Guards against another failure: where all that matters is zero, rounding alone is a large relative error.
bool comparable(const Observation& reduced, const Observation& whole) {
  for (std::size_t i = 0; i < whole.comparisons.size(); ++i) {
    if (!whole.comparisons[i] || whole.comparisons[i]->pass) continue;
    const auto& now = reduced.comparisons[i];
    if (!now || now->pass || largest(reduced.references[i]) < 0.05 * largest(whole.references[i]))
      return false;
    if (whole.failure->reason == "mismatch" &&
        now->relative_frobenius < 0.5 * whole.comparisons[i]->relative_frobenius)
      return false;
  }
  return true;
}

/// Shapes and input sets that nobody declared, as the correctness gate draws them: the first one that fails.
std::optional<Failing> find_undeclared(Lab& lab) {
  std::vector<std::string> too_large;  // of those that nobody asked for
  const std::vector<model::Workload> drawn = affordable(lab.subject(), lab.subject().drawn, too_large);
  for (std::size_t set = 0; set < lab.subject().input_sets.size(); ++set) {
    for (const model::Workload& workload : drawn) {
      if (lab.expired()) return std::nullopt;
      Setup setup;
      setup.workload = workload;
      setup.input_set = set;
      if (auto found = attempt(lab, setup)) return found;
    }
  }
  const std::size_t declared = lab.subject().input_sets.size();
  const std::size_t sets = declared + lab.subject().undeclared_sets.size();
  std::vector<model::Workload> all = affordable(lab.subject(), lab.subject().workloads, too_large);
  for (std::size_t i = 0; i < drawn.size() && i < few_drawn; ++i) all.push_back(drawn[i]);
  for (std::size_t set = declared; set < sets; ++set) {
    for (const model::Workload& workload : all) {
      if (lab.expired()) return std::nullopt;
      if (flops_of(lab.subject(), workload) > most_undeclared_flops) continue;
      Setup setup;
      setup.workload = workload;
      setup.input_set = set;
      if (auto found = attempt(lab, setup)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failing> find_failure(Lab& lab, std::vector<std::string>& notes) {
  const Subject& subject = lab.subject();
  const std::vector<model::Workload> workloads = affordable(subject, subject.workloads, notes);
  const std::size_t sets = subject.input_sets.size();
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      if (lab.expired()) {
        notes.emplace_back("time was up before all workloads and input sets were tried");
        return std::nullopt;
      }
      Setup setup;
      setup.workload = workloads[i];
      setup.input_set = set;
      setup.shift = static_cast<unsigned>(i);
      if (auto found = attempt(lab, setup)) return found;
    }
  }
  for (const model::Workload& workload : workloads) {
    if (lab.expired()) break;
    Setup setup;
    setup.workload = workload;
    setup.launches = repeated_launches;
    if (auto found = attempt(lab, setup)) return found;
  }
  for (std::uint64_t order = 1; order <= 3 && !workloads.empty() && !lab.expired(); ++order) {
    Setup setup;
    setup.workload = workloads.back();
    setup.schedule_seed = order;
    if (auto found = attempt(lab, setup)) return found;
  }
  return find_undeclared(lab);
}

Failing find_telling(Lab& lab, const Failing& failing) {
  constexpr double moderate_flops = 1 << 24;
  constexpr std::size_t most_tries = 3;
  std::vector<std::pair<double, model::Workload>> priced;
  for (const model::Workload& workload : lab.subject().workloads) {
    const double flops = flops_of(lab.subject(), workload);
    if (flops <= moderate_flops) priced.emplace_back(flops, workload);
  }
  std::stable_sort(priced.begin(), priced.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(priced.size(), most_tries) && !lab.expired(); ++i) {
    Setup setup = failing.setup;
    setup.workload = priced[i].second;
    auto found = attempt(lab, setup);
    if (found && found->seen.failure->status == failing.seen.failure->status) return std::move(*found);
  }
  return failing;
}

std::vector<Reduction> reduce_shape(Lab& lab, Failing& failing) {
  std::vector<Reduction> steps;
  const model::Failure wanted = *failing.seen.failure;
  const auto still_fails = [&](const Setup& setup) {
    if (lab.expired()) return false;
    Observation seen = lab.observe(setup);
    if (!seen.failed() || !same_kind(*seen.failure, wanted)) return false;
    failing = {setup, std::move(seen)};
    return true;
  };
  const auto shrink_axis = [&](const model::Axis& axis) {
    const std::int64_t from = failing.setup.workload.axes.at(axis.name);
    std::optional<std::int64_t> passed;
    const auto fails = [&](std::int64_t value) {
      Setup setup = failing.setup;
      setup.workload.axes[axis.name] = value;
      if (is_vast(lab.subject(), setup.workload)) return false;
      const bool result = still_fails(setup);
      if (!result && !lab.expired()) passed = std::max(passed.value_or(value), value);
      return result;
    };
    const std::int64_t to = shrink(bounds_of(axis), from, fails);
    if (to == from) return false;
    steps.push_back({axis.name, fmt::format("{}", from), fmt::format("{}", to),
                     passed ? fmt::format("{}", *passed) : std::string()});
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const model::Axis& axis : lab.subject().problem.axes) {
      if (!axis.compile_time) smaller = shrink_axis(axis) || smaller;
    }
  }
  const auto& sets = lab.subject().input_sets;
  for (std::size_t set = 0; set < std::min(failing.setup.input_set, sets.size()); ++set) {
    const std::string from = lab.subject().set(failing.setup.input_set).name;
    Setup setup = failing.setup;
    setup.input_set = set;
    if (!still_fails(setup)) continue;
    steps.push_back({"input set", from, sets[set].name, {}});
    break;
  }
  if (failing.setup.launches > failing.seen.failing_launch && failing.seen.failing_launch > 0) {
    const int from = failing.setup.launches;
    failing.setup.launches = failing.seen.failing_launch;
    steps.push_back(
        {"launches", fmt::format("{}", from), fmt::format("{}", failing.setup.launches),
         failing.setup.launches > 1 ? fmt::format("{}", failing.setup.launches - 1) : std::string()});
  }
  if (failing.setup.shift != 0) {
    Setup setup = failing.setup;
    setup.shift = 0;
    if (still_fails(setup)) steps.push_back({"base alignment", "shifted", "natural", {}});
  }
  return steps;
}

std::vector<std::string> reduce_inputs(Lab& lab, const Failing& failing) {
  std::vector<std::string> texts;
  if (failing.seen.failure->status != model::Status::wrong) return texts;
  constexpr int budget = 48;
  std::vector<InputRow> rows;
  for (std::size_t i = 0; i < failing.seen.bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = failing.seen.bound.arguments[i];
    if (argument.role != model::ArgumentRole::input) continue;
    for (std::int64_t row = 0; row < row_count(argument); ++row) rows.push_back({i, row});
  }
  const std::function<bool(const std::vector<InputRow>&)> fails = [&](const std::vector<InputRow>& kept) {
    if (lab.expired()) return false;
    Setup setup = failing.setup;
    setup.inputs = only(failing.seen, kept);
    const Observation seen = lab.observe(setup);
    return seen.failed() && same_kind(*seen.failure, *failing.seen.failure) && comparable(seen, failing.seen);
  };
  const std::vector<InputRow> kept = ddmin(rows, fails, budget);
  if (kept.size() == rows.size()) return texts;
  std::map<std::size_t, std::vector<std::int64_t>> by_argument;
  for (const InputRow& row : kept) by_argument[row.argument].push_back(row.row);
  for (std::size_t i = 0; i < failing.seen.bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = failing.seen.bound.arguments[i];
    if (argument.role != model::ArgumentRole::input) continue;
    texts.push_back(by_argument.contains(i) ? fmt::format("{}: rows {} of {}", argument.name,
                                                          row_list(by_argument[i]), row_count(argument))
                                            : fmt::format("{}: none", argument.name));
  }
  return texts;
}

}  // namespace evo::diagnose
