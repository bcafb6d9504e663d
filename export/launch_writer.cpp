#include "export/launch_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/cpp_expression.hpp"
#include "export/names.hpp"

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
std::string defined_name(const Argument& argument) {
  return "arg_" + argument.name;
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

struct LaunchBody {
  std::string scalars, zeroing, maps;
  std::vector<std::string> addresses;
};

model::Expected<LaunchBody> launch_body(const ExportRequest& request, const Names& names) {
  LaunchBody body;
  for (const Argument& argument : request.problem.arguments) {
    std::string variable = defined_name(argument);
    if (argument.role == ArgumentRole::scalar && !is_given(argument)) {
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
    body.addresses.push_back(fmt::format("const_cast<void*>(static_cast<const void*>(&{}))", variable));
  }
  for (const auto& map : request.kernel.launch.tensor_maps) {
    body.maps +=
        fmt::format("  TensorMap {0};\n  if (!make_{0}(axes, arg_{1}, &{0})) return cudaErrorInvalidValue;\n",
                    map.name, map.argument);
    body.addresses.push_back("&" + map.name);
  }
  return body;
}

}  // namespace

std::string address_function(const std::string& name) {
  return identifier(name) + "_address";
}

std::string address_definition(const std::string& name, const std::string& entry) {
  return fmt::format("static const void* {}() {{ return (const void*)(::{}); }}\n", address_function(name),
                     entry);
}

std::string launch_declarations(const ExportRequest& request, const std::string& name) {
  return fmt::format(R"(
/// The same for C, and for what loads C libraries (ctypes): the result is a cudaError_t, `stream` a cudaStream_t.
extern "C" {c};

#if defined(__CUDACC__) || __has_include(<cuda_runtime_api.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

namespace {plan} {{
/// Launches the kernel on `stream` and does not wait. Arrays are on the device, in the shapes and strides of
/// the problem. cudaErrorInvalidValue where supported(axes) is false; else what CUDA says of the launch.
{cpp};
}}  // namespace {plan}
#endif
)",
                     fmt::arg("c", c_signature(request, name, declared_name)),
                     fmt::arg("cpp", cpp_signature(request, declared_name)),
                     fmt::arg("plan", plan_namespace(name)));
}

model::Expected<std::string> launch_definitions(const ExportRequest& request, const std::string& name) {
  const Names names(request);
  const auto body = launch_body(request, names);
  if (!body) return tl::make_unexpected(body.error());
  return fmt::format(R"(static const void* {address}();

namespace {plan} {{

{signature} {{
  if (!supported(axes)) return cudaErrorInvalidValue;
  const void* kernel = {address}();
  const size_t shared = static_cast<size_t>(dynamic_smem(axes));
  if (shared > 48 * 1024) {{
    const cudaError_t failed =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (failed != cudaSuccess) return failed;
  }}
{scalars}{maps}{zeroing}  void* values[] = {{{addresses}}};
  return cudaLaunchKernel(kernel,
                          dim3(static_cast<unsigned>(grid_x(axes)), static_cast<unsigned>(grid_y(axes)),
                               static_cast<unsigned>(grid_z(axes))),
                          dim3(static_cast<unsigned>(block_x(axes)), static_cast<unsigned>(block_y(axes)),
                               static_cast<unsigned>(block_z(axes))),
                          values, shared, stream);
}}

}}  // namespace {plan}

{c})",
                     fmt::arg("address", address_function(name)), fmt::arg("plan", plan_namespace(name)),
                     fmt::arg("signature", cpp_signature(request, defined_name)),
                     fmt::arg("scalars", body->scalars), fmt::arg("maps", body->maps),
                     fmt::arg("zeroing", body->zeroing),
                     fmt::arg("addresses", fmt::join(body->addresses, ",\n                    ")),
                     fmt::arg("c", c_definition(request, name)));
}

}  // namespace evo::exporting
