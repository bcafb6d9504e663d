#include "config/sweeps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/axis_values.hpp"
#include "config/nearest.hpp"

namespace evo::config {
namespace {

const model::Axis& axis_of(const model::Problem& problem, const std::string& name, const Reader& where) {
  if (const model::Axis* axis = problem.find_axis(name)) return *axis;
  std::vector<std::string> known;
  for (const model::Axis& axis : problem.axes) known.push_back(axis.name);
  where.fail(fmt::format("there is no axis '{}'{}", name, suggestion(name, known)));
}

void set(model::Workload& workload, const model::Axis& axis, std::int64_t value, const Reader& where) {
  if (const auto objection = axis_objection(axis, value)) where.fail(*objection);
  workload.axes[axis.name] = value;
}

std::string name_of(const Reader& reader, const model::Workload& workload) {
  const std::string pattern = reader.text();
  std::string name;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = pattern.find('{', at);
    name += pattern.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = pattern.find('}', open);
    const std::string axis = close == std::string::npos ? "" : pattern.substr(open + 1, close - open - 1);
    const auto value = workload.axes.find(axis);
    if (value == workload.axes.end()) {
      std::vector<std::string> known;
      for (const auto& [other, ignored] : workload.axes) known.push_back(other);
      reader.fail(fmt::format("the name has no value for '{}'{}", axis, suggestion(axis, known)));
    }
    name += std::to_string(value->second);
    at = close + 1;
  }
  return name;
}

/// One workload: the loops' values are in `workload` already.
void finish(const Reader& reader, const model::Problem& problem, model::Workload workload,
            std::vector<model::Workload>& workloads) {
  model::Environment looped;
  for (const auto& [axis, value] : workload.axes) looped.insert_or_assign(axis, value);
  for (const model::Axis& axis : problem.axes) {
    const auto given = reader.find(axis.name);
    if (!given) continue;
    const auto value = given->expression().evaluate_integer(looped);
    if (!value) throw Invalid{value.error()};
    set(workload, axis, *value, *given);
  }
  workload.name = name_of(reader.at("name"), workload);
  for (const model::Workload& other : workloads) {
    if (other.name == workload.name)
      reader.at("name").fail(fmt::format("two workloads are called '{}'", other.name));
  }
  workloads.push_back(std::move(workload));
}

void read_entry(const Reader& reader, const model::Problem& problem,
                std::vector<model::Workload>& workloads) {
  std::vector<std::string> known{"name", "for"};
  for (const model::Axis& axis : problem.axes) known.push_back(axis.name);
  reader.expect_keys(known);
  std::vector<model::Workload> begun(1);
  if (const auto loops = reader.find("for")) {
    for (const std::string& name : loops->keys()) {
      const Reader list = loops->at(name);
      const model::Axis& axis = axis_of(problem, name, list);
      if (reader.find(name)) list.fail(fmt::format("the axis '{}' has a value already", name));
      std::vector<model::Workload> longer;
      for (const model::Workload& workload : begun) {
        for (const Reader& item : list.items()) {
          longer.push_back(workload);
          set(longer.back(), axis, item.integer(-(std::int64_t{1} << 62), std::int64_t{1} << 62), item);
        }
      }
      begun = std::move(longer);
    }
  }
  for (model::Workload& workload : begun) finish(reader, problem, std::move(workload), workloads);
}

}  // namespace

std::vector<model::Sweep> read_sweeps(const Reader& reader, const model::Problem& problem) {
  std::vector<model::Sweep> sweeps;
  const auto section = reader.find("sweeps");
  if (!section) return sweeps;
  for (const std::string& name : section->keys()) {
    model::Sweep sweep{name, {}};
    for (const Reader& item : section->at(name).items()) read_entry(item, problem, sweep.workloads);
    if (sweep.workloads.empty()) section->at(name).fail("a sweep needs at least one workload");
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace evo::config
