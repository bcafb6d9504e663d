#include "export/struct_arrays.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/records.hpp"

namespace evo::exporting {
namespace {

model::Expected<model::Argument> as_bytes(model::Argument first, const model::RecordLayout& record) {
  first.name = std::string(model::record_of(first.name));
  first.dtype = model::DType::u8;
  first.alignment = record.alignment;
  first.fill.reset();
  auto bytes = model::Expression::parse(std::to_string(record.bytes));
  if (!bytes) return tl::make_unexpected(bytes.error());
  first.shape.back() = *bytes;
  std::string product = "1";
  for (std::size_t i = first.shape.size(); i-- > 0;) {
    auto stride = model::Expression::parse(product);
    if (!stride) return tl::make_unexpected(stride.error());
    first.strides[i] = *stride;
    product = fmt::format("({}) * ({})", first.shape[i].text(), product);
  }
  return first;
}

}  // namespace

model::Expected<std::optional<ExportRequest>> with_structs_as_bytes(const ExportRequest& request) {
  const std::vector<model::Argument>& arguments = request.problem.arguments;
  const bool any = std::ranges::any_of(
      arguments, [](const model::Argument& argument) { return !model::record_of(argument.name).empty(); });
  if (!any || request.workloads.empty()) return std::optional<ExportRequest>();
  model::Workload workload = request.workloads.front();
  for (const auto& axis : request.problem.axes) {
    const auto fixed = request.bound_space.fixed().find(axis.name);
    if (axis.compile_time && fixed != request.bound_space.fixed().end()) {
      if (const auto* value = std::get_if<std::int64_t>(&fixed->second)) workload.axes[axis.name] = *value;
    }
  }
  const auto bound = model::bind_case(request.problem, request.kernel_template, request.bound_space,
                                      request.variant.genome, workload);
  if (!bound) return tl::make_unexpected(bound.error());
  const std::vector<model::RecordLayout> records = model::records_of(bound->arguments);

  ExportRequest result = request;
  result.problem.arguments.clear();
  std::vector<std::size_t> places(arguments.size());  // of each argument among the new ones
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto record =
        std::ranges::find_if(records, [&](const model::RecordLayout& each) { return each.has(i); });
    const bool follows = record != records.end() && record->first != i;
    places[i] = result.problem.arguments.size() - (follows ? 1 : 0);
    if (follows) continue;
    if (record == records.end()) {
      result.problem.arguments.push_back(arguments[i]);
      continue;
    }
    auto bytes = as_bytes(arguments[i], *record);
    if (!bytes) return tl::make_unexpected(bytes.error());
    result.problem.arguments.push_back(std::move(*bytes));
  }
  for (model::InputSet& set : result.problem.input_sets)
    std::erase_if(set.fills, [](const auto& fill) { return !model::record_of(fill.first).empty(); });
  std::vector<model::LaunchModel*> launches{&result.kernel_template.launch};
  for (model::LaunchModel& launch : result.kernel_template.later_launches) launches.push_back(&launch);
  for (model::LaunchModel* launch : launches) {
    if (!launch->arguments) continue;
    for (std::size_t& taken : *launch->arguments) taken = places[taken];
  }
  return std::optional(std::move(result));
}

}  // namespace evo::exporting
