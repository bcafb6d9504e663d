#include "evaluators/gates/correct_for.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/specials.hpp"
#include "model/domain.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::size_t most_listed = 4;
constexpr std::size_t cases_that_tell = 8;  ///< fewer show little of what a scalar may be

/// "0, 1" or "17 values from 1 to 513": not each between them was tried.
template <class T>
std::string range_text(const std::set<T>& values) {
  if (values.size() <= most_listed) return fmt::format("{}", fmt::join(values, ", "));
  return fmt::format("{} values from {} to {}", values.size(), *values.begin(), *values.rbegin());
}

std::string strides_text(const DeviceJob& job) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const std::string& name = job.cases[i].name;
    const std::size_t at = name.find(" strides of ");
    if (use_of(job, i) == CaseUse::changed && at != std::string::npos) names.insert(name.substr(at + 12));
  }
  return names.empty() ? "as declared" : fmt::format("those of {} apart", fmt::join(names, "; of "));
}

/// Of such an argument the kernel sees no address.
bool is_in_a_variable(const model::Case& bound, std::size_t argument) {
  return std::any_of(bound.launch.symbols.begin(), bound.launch.symbols.end(),
                     [&](const model::SymbolPlan& symbol) { return symbol.argument == argument; });
}

/// Has it another value in the turns of a loop of launches?
bool follows_a_loop(const model::Case& bound, std::size_t index) {
  return std::ranges::any_of(model::kernels_of(bound.launch), [&](const model::LaunchPlan* plan) {
    return std::ranges::any_of(plan->scalars,
                               [&](const model::ScalarPlan& scalar) { return scalar.argument == index; });
  });
}

/// An integer that no case changes, and no axis either: one of compile time is the genome's to know.
bool is_one_number(const DeviceJob& job, const std::vector<Check>& made, std::size_t index) {
  const model::BoundArgument& scalar = job.cases.front().arguments[index];
  if (scalar.role != model::ArgumentRole::scalar || oracle::is_floating(scalar.dtype) ||
      job.cases.size() < cases_that_tell)
    return false;
  for (const auto& [axis, value] : job.cases.front().axes) {
    if (value == scalar.scalar_integer) return false;
  }
  return std::ranges::all_of(made, [&](const Check& check) {
    return job.cases[check.case_index].arguments[index].scalar_integer == scalar.scalar_integer;
  });
}

/// "NaN or infinity", which floating-point inputs had in none of the sets; empty: both were shown, or there
/// are no such inputs.
std::string not_shown(const DeviceJob& job, const std::set<std::size_t>& sets) {
  const auto is_floating_input = [](const model::BoundArgument& argument) {
    return model::is_given(argument.role) && oracle::is_floating(argument.dtype);
  };
  if (job.cases.empty() || std::ranges::none_of(job.cases.front().arguments, is_floating_input)) return {};
  bool nans = false, infinities = false;
  for (const std::size_t set : sets) {
    nans = nans || oracle::holds_nans(job.input_sets[set]);
    infinities = infinities || oracle::holds_infinities(job.input_sets[set]);
  }
  if (!nans && !infinities) return "NaN or infinity";
  if (nans && infinities) return {};
  return nans ? "infinity" : "NaN";
}

}  // namespace

model::Evidence describe_coverage(const DeviceJob& job, const std::vector<Check>& made) {
  std::map<std::string, std::set<std::int64_t>> axes, alone;
  std::map<std::string, std::set<double>> scalars;
  std::map<std::string, std::set<std::int64_t>> integers;
  std::map<std::string, std::set<std::uint32_t>> starts;
  std::set<std::size_t> cases, sets;
  std::size_t sampled = 0;
  std::int64_t elements = 0;
  bool far = false;
  for (const Check& check : made) {
    const model::Case& bound = job.cases[check.case_index];
    cases.insert(check.case_index);
    sets.insert(check.set_index);
    if (!check.blocks.empty()) ++sampled;
    for (const auto& [axis, value] : bound.axes) {
      if (use_of(job, check.case_index) != CaseUse::alone)
        axes[axis].insert(value);
      else if (value > largest_of(job, axis))
        alone[axis].insert(value);
    }
    far = far || oracle::has_64bit_strides(bound);
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      const model::BoundArgument& argument = bound.arguments[i];
      if (argument.role == model::ArgumentRole::scalar) {
        if (oracle::is_floating(argument.dtype)) {
          scalars[argument.name].insert(argument.scalar_float);
        } else if (bound.undeclared_scalar == i) {
          const std::int64_t usual = job.cases.front().arguments[i].scalar_integer;
          integers[argument.name].insert({usual, argument.scalar_integer});
        }
        continue;
      }
      elements = std::max(elements, oracle::element_count(argument));
      if (i < check.placement.size() && !is_in_a_variable(bound, i)) {
        starts[argument.name].insert(check.placement[i] % 16);
      }
    }
  }
  model::Evidence evidence{"correct_for", {}, {}, 0, {}};
  std::vector<std::string> parts;
  for (const auto& [axis, values] : axes) {
    evidence.details.emplace_back("axis." + axis, range_text(values));
    parts.push_back(axis + " " + range_text(values));
    const auto further = alone.find(axis);
    if (further == alone.end()) continue;
    evidence.details.emplace_back("alone." + axis, range_text(further->second));
    parts.back() += fmt::format(" and, the other sizes small, {}", range_text(further->second));
  }
  std::vector<std::string> alignments;
  for (const auto& [name, values] : starts)
    alignments.push_back(fmt::format("{} {}", name, fmt::join(values, "/")));
  evidence.details.emplace_back("shapes", std::to_string(cases.size()));
  evidence.details.emplace_back("elements", std::to_string(elements));
  evidence.details.emplace_back("offsets_beyond_32_bits", far ? "shown" : "not shown");
  evidence.details.emplace_back("input_sets", std::to_string(sets.size()));
  std::vector<std::string> set_names;
  for (const std::size_t set : sets) set_names.push_back(job.input_sets[set].name);
  evidence.details.emplace_back("input_set_names", fmt::format("{}", fmt::join(set_names, "; ")));
  const std::string missing = not_shown(job, sets);
  if (!missing.empty())
    evidence.details.emplace_back("nan_or_infinity",
                                  missing == "NaN or infinity" ? "not shown" : "no " + missing + " shown");
  evidence.details.emplace_back("alignments", fmt::format("{}", fmt::join(alignments, ", ")));
  evidence.details.emplace_back("strides", strides_text(job));
  std::vector<std::string> numbers;
  for (const auto& [name, values] : scalars) {
    const std::string text = fmt::format("{:.3g} to {:.3g}", *values.begin(), *values.rbegin());
    evidence.details.emplace_back("scalar." + name, text);
    numbers.push_back(name + " " + text);
  }
  for (const auto& [name, values] : integers) {
    evidence.details.emplace_back("scalar." + name, range_text(values));
    numbers.push_back(name + " " + range_text(values));
  }
  evidence.details.emplace_back("launches", std::to_string(made.size()));
  evidence.details.emplace_back("sampled_launches", std::to_string(sampled));
  evidence.message = fmt::format(
      "{}{}{} in {} shapes with arrays of up to {} elements, offsets beyond 32 bits {}; {} input "
      "sets{}; base addresses modulo 16 bytes: {}; strides: {}; {} launches{}",
      fmt::join(parts, "; "), numbers.empty() ? "" : "; ", fmt::join(numbers, ", "), cases.size(), elements,
      far ? "among them" : "not shown", sets.size(),
      missing.empty() ? "" : fmt::format(", no {} among them", missing), fmt::join(alignments, ", "),
      strides_text(job), made.size(),
      sampled == 0 ? "" : fmt::format(", {} of them of a sample of their blocks", sampled));
  if (!job.equal_writes.empty()) {
    evidence.details.emplace_back("equal_writes", job.equal_writes);
    evidence.message += fmt::format("; threads that write the same number to one place count as meant ({})",
                                    job.equal_writes);
  }
  return evidence;
}

void add_domain(const TemplateContext& context, const model::Genome& genome, model::Evidence& note) {
  const std::string domain = model::domain_text(*context.kernel_template, context.environment(genome));
  if (domain.empty()) return;
  note.details.emplace_back("domain", domain);
  note.message += "; only sizes with " + domain;
}

std::vector<model::Evidence> always_equal(const DeviceJob& job, const std::vector<Check>& made) {
  std::vector<model::Evidence> notes;
  if (job.cases.empty()) return notes;
  const auto& arguments = job.cases.front().arguments;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (!is_one_number(job, made, a) || follows_a_loop(job.cases.front(), a)) continue;
    notes.push_back({"always_equal",
                     fmt::format("{} is {} in every case, so a kernel that has that number built in is not "
                                 "seen; if it may be another, make it an axis",
                                 arguments[a].name, arguments[a].scalar_integer),
                     {},
                     0,
                     {{"parameters", arguments[a].name}}});
  }
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    for (std::size_t b = a + 1; b < arguments.size(); ++b) {
      if (arguments[a].role != model::ArgumentRole::scalar ||
          arguments[b].role != model::ArgumentRole::scalar || arguments[a].dtype != arguments[b].dtype)
        continue;
      if (follows_a_loop(job.cases.front(), a) || follows_a_loop(job.cases.front(), b)) continue;
      const bool differ = std::ranges::any_of(made, [&](const Check& check) {
        const model::Case& bound = job.cases[check.case_index];
        return bound.arguments[a].scalar_integer != bound.arguments[b].scalar_integer ||
               bound.arguments[a].scalar_float != bound.arguments[b].scalar_float;
      });
      if (differ) continue;
      notes.push_back(
          {"always_equal",
           fmt::format("{} and {} are equal in every case, so a kernel that takes one for the other is not "
                       "seen; if they are strides, say of which array: value: stride(DIMENSION, ARRAY)",
                       arguments[a].name, arguments[b].name),
           {},
           0,
           {{"parameters", arguments[a].name + ", " + arguments[b].name}}});
    }
  }
  return notes;
}

}  // namespace evo::evaluators::gates
