#include "export/plan_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "export/cpp_expression.hpp"
#include "export/tensor_map_writer.hpp"

namespace evo::exporting {
namespace {

std::string constants(const ExportRequest& request) {
  std::set<std::string> symbols;
  std::string genes, fixed;
  const auto value_text = [](const model::Value& value) {
    const auto* symbol = std::get_if<std::string>(&value);
    return symbol != nullptr ? symbol_constant(*symbol) : model::to_string(value);
  };
  for (const auto& gene : request.bound_space.genes()) {
    for (const auto& value : gene.values) {
      if (const auto* symbol = std::get_if<std::string>(&value)) symbols.insert(*symbol);
    }
    genes += fmt::format("constexpr long long {} = {};\n", gene.name,
                         value_text(request.variant.genome.at(gene.name)));
  }
  for (const auto& [name, value] : request.bound_space.fixed()) {
    if (const auto* symbol = std::get_if<std::string>(&value)) symbols.insert(*symbol);
    fixed += fmt::format("constexpr long long {} = {};\n", name, value_text(value));
  }
  std::string text;
  if (!symbols.empty()) {
    std::size_t number = 0;
    text += "enum Symbol : long long {\n";
    for (const auto& symbol : symbols) text += fmt::format("  {} = {},\n", symbol_constant(symbol), number++);
    text += "};\n\n";
  }
  return text + "// Genes.\n" + genes +
         "// Compile-time axes, and the limits under which the variant was judged.\n" + fixed;
}

std::string declaration(const ExportRequest& request) {
  std::string parameters;
  for (const auto& argument : request.problem.arguments) {
    parameters +=
        fmt::format("{}\n    {} {}", parameters.empty() ? "" : ",", parameter_type(argument), argument.name);
  }
  for (const auto& map : request.kernel.launch.tensor_maps)
    parameters += fmt::format(",\n    const __grid_constant__ TensorMap {}", map.name);
  return fmt::format("extern \"C\" __global__ void {}({});\n", request.kernel.entry, parameters);
}

std::string check_of(const model::Case& bound, const std::string& name, const std::string& axes,
                     std::int64_t smem_limit) {
  const auto& grid = bound.launch.grid;
  const auto& block = bound.launch.block;
  const auto smem = bound.launch.dynamic_smem;
  return fmt::format(R"(constexpr Axes {name}{axes};  // {workload}
static_assert(grid_x({name}) == {} && grid_y({name}) == {} && grid_z({name}) == {},
              "not the plan that was proven");
static_assert(block_x({name}) == {} && block_y({name}) == {} && block_z({name}) == {},
              "not the plan that was proven");
static_assert(dynamic_smem({name}) == {}, "not the plan that was proven");
static_assert(block_x({name}) * block_y({name}) * block_z({name}) <= 1024, "too many threads");
static_assert(dynamic_smem({name}) <= {}, "more shared memory than the target has");
)",
                     grid[0], grid[1], grid[2], block[0], block[1], block[2], smem, smem_limit,
                     fmt::arg("name", name), fmt::arg("axes", axes), fmt::arg("workload", bound.name));
}

}  // namespace

Names::Names(const ExportRequest& request) {
  for (const auto& axis : request.problem.axes) {
    if (!axis.compile_time) run_time_axes_.push_back(&axis);
  }
}

model::Expected<std::string> Names::cpp(const model::Expression& expression) const {
  return to_cpp(expression, [&](const std::string& name) {
    const bool run_time = std::any_of(run_time_axes_.begin(), run_time_axes_.end(),
                                      [&](const model::Axis* axis) { return axis->name == name; });
    return run_time ? "axes." + name : name;
  });
}

std::string plan_namespace(const std::string& name) {
  return identifier(name) + "_plan";
}

std::string cpp_type(model::DType dtype) {
  switch (dtype) {
    case model::DType::f16:
      return "__half";
    case model::DType::bf16:
      return "__nv_bfloat16";
    case model::DType::f32:
      return "float";
    case model::DType::f64:
      return "double";
    case model::DType::i8:
      return "signed char";
    case model::DType::u8:
      return "unsigned char";
    case model::DType::i32:
      return "int";
    case model::DType::u32:
      return "unsigned int";
    case model::DType::i64:
      return "long long";
    case model::DType::u64:
      return "unsigned long long";
  }
  return "void";
}

std::string parameter_type(const model::Argument& argument) {
  std::string type = cpp_type(argument.dtype);
  switch (argument.role) {
    case model::ArgumentRole::scalar:
      return type;
    case model::ArgumentRole::input:
      return "const " + type + "*";
    case model::ArgumentRole::output:
    case model::ArgumentRole::workspace:
      return type + "*";
  }
  return type;
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

model::Expected<std::string> write_plan(const ExportRequest& request, const std::string& name,
                                        const std::vector<model::Case>& cases) {
  const Names names(request);
  const auto& launch = request.kernel.launch;
  std::string functions;
  const auto add = [&](const std::string& function,
                       const model::Expression& expression) -> model::Expected<void> {
    const auto text = names.cpp(expression);
    if (!text) return tl::make_unexpected(text.error());
    functions += fmt::format("constexpr long long {}([[maybe_unused]] const Axes& axes) {{ return {}; }}\n",
                             function, *text);
    return {};
  };
  const char* const dimensions[] = {"x", "y", "z"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (const auto done = add(fmt::format("grid_{}", dimensions[i]), launch.grid[i]); !done)
      return tl::make_unexpected(done.error());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (const auto done = add(fmt::format("block_{}", dimensions[i]), launch.block[i]); !done)
      return tl::make_unexpected(done.error());
  }
  if (const auto done = add("dynamic_smem", launch.dynamic_smem); !done)
    return tl::make_unexpected(done.error());

  std::string axes;
  for (const auto* axis : names.run_time_axes()) {
    axes += fmt::format("  long long {};{}\n", axis->name,
                        axis->description.empty() ? "" : "  // " + axis->description);
  }
  std::string checks;
  for (std::size_t number = 0; number < cases.size(); ++number) {
    checks += check_of(cases[number], fmt::format("workload_{}", number), axes_literal(names, cases[number]),
                       request.target.smem_per_block_optin);
  }

  // Only where an expression uses them.
  std::string more_functions;
  if (functions.find("floor_div(") != std::string::npos) {
    more_functions +=
        "constexpr long long floor_div(long long a, long long b) {\n"
        "  return a / b - ((a % b != 0 && (a % b > 0) != (b > 0)) ? 1 : 0);\n}\n";
  }
  if (functions.find("power(") != std::string::npos) {
    more_functions +=
        "constexpr long long power(long long a, long long b) { return b <= 0 ? 1 : a * power(a, b - 1); }\n";
  }

  const auto maps = write_tensor_maps(request, names);
  if (!maps) return tl::make_unexpected(maps.error());
  return fmt::format(
      R"(// How to launch {entry}: variant {variant} of template {template_name}, problem {problem}.
// Launch with grid_*, block_* and dynamic_smem bytes of dynamic shared memory; above 48 KB that needs
// cudaFuncSetAttribute({entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, ...) first.
// Proven for the accuracy class {accuracy} under the limits of {target}; provenance.json says how.
#pragma once

namespace {plan} {{

/// Run-time axes.
struct Axes {{
{axes}}};

{constants}
constexpr long long ceil_div(long long a, long long b) {{
  return a / b + ((a % b != 0 && (a % b > 0) == (b > 0)) ? 1 : 0);
}}
constexpr long long smaller(long long a, long long b) {{ return a < b ? a : b; }}
constexpr long long larger(long long a, long long b) {{ return a > b ? a : b; }}
{more_functions}
{functions}
// The plans that were run.
{checks}
}}  // namespace {plan}

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
{map_includes}
{declaration}{maps}#endif
)",
      fmt::arg("entry", request.kernel.entry), fmt::arg("variant", request.variant.id),
      fmt::arg("template_name", request.kernel.name), fmt::arg("problem", request.problem.name),
      fmt::arg("accuracy", request.accuracy_class), fmt::arg("target", request.target.name),
      fmt::arg("plan", plan_namespace(name)), fmt::arg("axes", axes),
      fmt::arg("constants", constants(request)), fmt::arg("functions", functions), fmt::arg("checks", checks),
      fmt::arg("more_functions", more_functions), fmt::arg("declaration", declaration(request)),
      fmt::arg("map_includes", tensor_map_includes(request)), fmt::arg("maps", *maps));
}

}  // namespace evo::exporting
