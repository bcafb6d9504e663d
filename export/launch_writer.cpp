#include "export/launch_writer.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/cpp_expression.hpp"
#include "export/launch_code.hpp"
#include "export/names.hpp"
#include "export/parameters.hpp"
#include "model/entry_name.hpp"

namespace evo::exporting {
namespace {

using model::Argument;
using model::ArgumentRole;

/// What the caller gives: the arrays, then the scalars that no axis decides.
std::vector<const Argument*> given(const ExportRequest& request) {
  std::vector<const Argument*> list;
  for (const Argument& argument : request.problem.arguments) {
    if (argument.role != ArgumentRole::scalar) list.push_back(&argument);
  }
  for (const Argument& argument : request.problem.arguments) {
    if (is_given(argument)) list.push_back(&argument);
  }
  return list;
}

/// Where a reader sees it; the definitions call all arguments arg_NAME, so that none meets a name of ours.
std::string declared_name(const Argument& argument) {
  return argument.name == "stream" || argument.name == "axes" ? argument.name + "_" : argument.name;
}

using NameOf = std::string (*)(const Argument&);

std::string cpp_signature(const ExportRequest& request, NameOf name_of) {
  std::vector<std::string> list{"cudaStream_t stream", "const Axes& axes"};
  for (const Argument* each : given(request)) list.push_back(parameter_type(*each) + " " + name_of(*each));
  return fmt::format("cudaError_t launch({})", fmt::join(list, ", "));
}

std::string c_signature(const ExportRequest& request, const std::string& name, NameOf name_of) {
  std::vector<std::string> list{"void* stream"};
  const Names names(request);
  for (const auto* axis : names.run_time_axes()) list.push_back("long long axis_" + axis->name);
  for (const Argument* each : given(request)) list.push_back(c_parameter_type(*each) + " " + name_of(*each));
  return fmt::format("int {}_launch({})", identifier(name), fmt::join(list, ", "));
}

/// The C function hands everything on to the C++ one.
std::string c_definition(const ExportRequest& request, const std::string& name) {
  const Names names(request);
  std::vector<std::string> axes, list{"static_cast<cudaStream_t>(stream)"};
  for (const auto* axis : names.run_time_axes()) axes.push_back("axis_" + axis->name);
  list.push_back(fmt::format("{{{}}}", fmt::join(axes, ", ")));
  for (const Argument* each : given(request)) {
    const bool half = each->role == ArgumentRole::scalar && model::size_of(each->dtype) < 4;
    list.push_back(fmt::format("static_cast<{}>({}{}{})", parameter_type(*each),
                               half ? "static_cast<float>(" : "", defined_name(*each), half ? ")" : ""));
  }
  return fmt::format("extern \"C\" {} {{\n  return static_cast<int>({}::launch({}));\n}}\n",
                     c_signature(request, name, defined_name), plan_namespace(name), fmt::join(list, ", "));
}

/// Copies an argument into its variable of the module.
std::string fill_function(const std::string& name, const Argument& argument) {
  return fmt::format("{}_fill_{}", identifier(name), identifier(argument.name));
}

bool has_objects(const ExportRequest& request) {
  const auto& arguments = request.problem.arguments;
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& each) { return each.texture.has_value(); });
}

struct LaunchBody {
  std::string scalars, zeroing, filling;
};

/// Outside of its loop such a scalar is what it is in the first turn (model::first_turns).
model::Expected<std::string> of_first_turn(const ExportRequest& request, const Names& names,
                                           const Argument& argument) {
  std::vector<const model::LaunchModel*> launches{&request.kernel_template.launch};
  for (const model::LaunchModel& later : request.kernel_template.later_launches) launches.push_back(&later);
  std::string turns;
  std::set<std::string> seen;
  for (const model::LaunchModel* launch : launches) {
    for (const model::LaunchLoop& loop : launch->loops) {
      if (!seen.insert(loop.name).second) continue;
      const auto from = names.cpp(loop.from);
      if (!from) return tl::make_unexpected(from.error());
      turns +=
          fmt::format("    [[maybe_unused]] const long long {} = {};\n", loop_variable(loop.name), *from);
    }
  }
  const auto value = names.cpp(argument.scalar.expression);
  if (!value) return tl::make_unexpected(value.error());
  return fmt::format("  [[maybe_unused]] {0} {1} = [&] {{\n{2}    return static_cast<{0}>({3});\n  }}();\n",
                     cpp_type(argument.dtype), defined_name(argument), turns, *value);
}

model::Expected<LaunchBody> launch_body(const ExportRequest& request, const Names& names,
                                        const std::string& name) {
  LaunchBody body;
  for (const Argument& argument : request.problem.arguments) {
    std::string variable = defined_name(argument);
    if (argument.role == ArgumentRole::scalar && !is_given(argument)) {
      // What follows a loop of launches has another value in each turn, which launch_code() gives.
      if (names.names_loop(argument.scalar.expression)) {
        const auto first = of_first_turn(request, names, argument);
        if (!first) return tl::make_unexpected(first.error());
        body.scalars += *first;
        continue;
      }
      const auto value = names.cpp(argument.scalar.expression);
      if (!value) return tl::make_unexpected(value.error());
      body.scalars +=
          fmt::format("  {0} {1} = static_cast<{0}>({2});\n", cpp_type(argument.dtype), variable, *value);
    } else if (argument.zeroed) {
      body.zeroing += fmt::format(
          "  if (const cudaError_t failed =\n          cudaMemsetAsync({}, 0, "
          "static_cast<size_t>(bytes_of_{}(axes)), stream);\n"
          "      failed != cudaSuccess)\n    return failed;\n",
          variable, argument.name);
    }
    if (!argument.symbol.empty()) {
      body.filling += fmt::format(
          "  if (const cudaError_t failed =\n          {}({}, static_cast<size_t>(bytes_of_{}(axes)), "
          "stream);\n"
          "      failed != cudaSuccess)\n    return failed;\n",
          fill_function(name, argument), variable, argument.name);
    }
  }
  return body;
}

}  // namespace

std::string address_function(const std::string& name) {
  return identifier(name) + "_address";
}

std::string launch_suffix(std::size_t number) {
  return number == 0 ? "" : fmt::format("_{}", number + 1);
}

std::vector<const model::LaunchModel*> launches_of(const ExportRequest& request) {
  return model::launches_of(request.kernel_template, request.bound_space, request.variant.genome).value();
}

std::string address_definitions(const ExportRequest& request, const std::string& name) {
  std::string text;
  const auto launches = launches_of(request);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    text += fmt::format(
        "static const void* {}{}() {{ return (const void*)({}); }}\n", address_function(name),
        launch_suffix(i),
        model::address_expression(model::render_launch_entry(request.kernel_template, *launches[i],
                                                             request.bound_space, request.variant.genome),
                                  "::"));
  }
  for (const Argument& argument : request.problem.arguments) {
    if (argument.symbol.empty()) continue;
    text += fmt::format(
        "static cudaError_t {}(const void* from, size_t bytes, cudaStream_t stream) {{\n"
        "  return cudaMemcpyToSymbolAsync({}{}, from, bytes, 0, cudaMemcpyDeviceToDevice, stream);\n}}\n",
        fill_function(name, argument), argument.symbol.starts_with("::") ? "" : "::", argument.symbol);
  }
  return text;
}

std::string launch_declarations(const ExportRequest& request, const std::string& name) {
  return fmt::format(
      R"(
/// The same for C, and for what loads C libraries (ctypes): the result is a cudaError_t, `stream` a cudaStream_t.
extern "C" {c};

#if defined(__CUDACC__) || __has_include(<cuda_runtime_api.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>

namespace {plan} {{
/// Launches the kernel on `stream` and does not wait. Arrays are on the device, in the shapes and strides of
/// the problem{objects}. cudaErrorInvalidValue where supported(axes) is false; else what CUDA says of the launch.
{cpp};
}}  // namespace {plan}
#endif
)",
      fmt::arg("objects", has_objects(request)
                              ? "; textures and surfaces are objects, of which the structs below make some"
                              : ""),
      fmt::arg("c", c_signature(request, name, declared_name)),
      fmt::arg("cpp", cpp_signature(request, declared_name)), fmt::arg("plan", plan_namespace(name)));
}

model::Expected<std::string> launch_definitions(const ExportRequest& request, const std::string& name) {
  const Names names(request);
  const auto body = launch_body(request, names, name);
  if (!body) return tl::make_unexpected(body.error());
  const auto launches = launches_of(request);
  const auto code = launches_code(request, names, name, launches);
  if (!code) return tl::make_unexpected(code.error());
  std::string declared;
  for (std::size_t i = 0; i < launches.size(); ++i)
    declared += fmt::format("static const void* {}{}();\n", address_function(name), launch_suffix(i));
  for (const Argument& argument : request.problem.arguments) {
    if (!argument.symbol.empty())
      declared += fmt::format("static cudaError_t {}(const void* from, size_t bytes, cudaStream_t stream);\n",
                              fill_function(name, argument));
  }
  return fmt::format(R"({declared}
namespace {plan} {{

{signature} {{
  if (!supported(axes)) return cudaErrorInvalidValue;
{scalars}{zeroing}{filling}{code}}}

}}  // namespace {plan}

{c})",
                     fmt::arg("declared", declared), fmt::arg("plan", plan_namespace(name)),
                     fmt::arg("signature", cpp_signature(request, defined_name)),
                     fmt::arg("scalars", body->scalars), fmt::arg("zeroing", body->zeroing),
                     fmt::arg("filling", body->filling), fmt::arg("code", *code),
                     fmt::arg("c", c_definition(request, name)));
}

}  // namespace evo::exporting
