#include "export/names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "export/cpp_expression.hpp"
#include "model/entry_name.hpp"

namespace evo::exporting {

Names::Names(const ExportRequest& request) {
  for (const auto& axis : request.problem.axes) {
    if (!axis.compile_time) run_time_axes_.push_back(&axis);
  }
  const auto add_loops = [&](const model::LaunchModel& launch) {
    for (const model::LaunchLoop& loop : launch.loops) loops_.insert(loop.name);
  };
  add_loops(request.kernel_template.launch);
  for (const model::LaunchModel& later : request.kernel_template.later_launches) add_loops(later);
}

model::Expected<std::string> Names::cpp(const model::Expression& expression) const {
  return to_cpp(expression, [&](const std::string& name) {
    const bool run_time = std::any_of(run_time_axes_.begin(), run_time_axes_.end(),
                                      [&](const model::Axis* axis) { return axis->name == name; });
    if (loops_.contains(name)) return loop_variable(name);
    return run_time ? "axes." + name : constant_name(name);
  });
}

bool Names::names_loop(const model::Expression& expression) const {
  return std::ranges::any_of(expression.names(), [&](const auto& name) { return loops_.contains(name); });
}

std::string loop_variable(const std::string& name) {
  return "loop_" + name;
}

std::string loop_parameters(const model::LaunchModel& launch) {
  std::string text;
  for (const model::LaunchLoop& loop : launch.loops)
    text += fmt::format(", [[maybe_unused]] long long {}", loop_variable(loop.name));
  return text;
}

std::string loop_arguments(const model::LaunchModel& launch) {
  std::string text;
  for (const model::LaunchLoop& loop : launch.loops) text += ", " + loop_variable(loop.name);
  return text;
}

std::string constant_name(const std::string& name) {
  for (const std::string_view function :
       {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "dynamic_smem"}) {
    const bool ours = name == function || (name.starts_with(function) && name[function.size()] == '_');
    if (ours) return name + "_gene";
  }
  for (const std::string_view ours :
       {"axes", "Axes", "launch", "supported", "ceil_div", "smaller", "larger"}) {
    if (name == ours) return name + "_gene";
  }
  return name;
}

std::string stem_of(const ExportRequest& request) {
  if (!request.name.empty()) return request.name;
  return identifier(model::plain_kernel_name(request.kernel_template.entry));
}

std::string launch_function(const ExportRequest& request) {
  const auto names_grid = [](const std::string& text) {
    for (const char* word : {"grid_group", "this_grid", "%envreg"}) {
      if (text.find(word) != std::string::npos) return true;
    }
    return false;
  };
  const auto& headers = request.kernel_template.headers;
  const bool cooperative = names_grid(request.kernel_template.source) ||
                           std::any_of(headers.begin(), headers.end(),
                                       [&](const auto& header) { return names_grid(header.second); });
  return cooperative ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel";
}

std::string plan_namespace(const std::string& stem) {
  return identifier(stem) + "_plan";
}

std::string cpp_type(model::DType dtype) {
  return std::string(model::c_type_of(dtype));
}

namespace {

std::string pointer_to(const model::Argument& argument, const std::string& element) {
  return (argument.role == model::ArgumentRole::input ? "const " : "") + element + "*";
}

}  // namespace

std::string parameter_type(const model::Argument& argument) {
  if (argument.texture) return argument.texture->surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t";
  const std::string type = cpp_type(argument.dtype);
  return argument.role == model::ArgumentRole::scalar ? type : pointer_to(argument, type);
}

std::string c_parameter_type(const model::Argument& argument) {
  if (argument.texture) return "unsigned long long";
  return argument.role == model::ArgumentRole::scalar ? "double" : pointer_to(argument, "void");
}

bool is_given(const model::Argument& argument) {
  return argument.role == model::ArgumentRole::scalar &&
         argument.scalar.form != model::ScalarValue::Form::integer;
}

std::string axes_literal(const Names& names, const model::Case& bound) {
  std::string text;
  for (const auto* axis : names.run_time_axes()) {
    const auto value = bound.axes.find(axis->name);
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        value == bound.axes.end() ? axis->initial.value_or(1) : value->second);
  }
  return "{" + text + "}";
}

}  // namespace evo::exporting
