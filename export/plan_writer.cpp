#include "export/plan_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "export/cpp_expression.hpp"
#include "export/launch_writer.hpp"
#include "export/names.hpp"
#include "export/tensor_map_writer.hpp"
#include "export/texture_writer.hpp"
#include "model/real_expression.hpp"

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
    genes += fmt::format("constexpr long long {} = {};\n", constant_name(gene.name),
                         value_text(request.variant.genome.at(gene.name)));
  }
  for (const auto& [name, value] : request.bound_space.fixed()) {
    if (const auto* symbol = std::get_if<std::string>(&value)) symbols.insert(*symbol);
    fixed += fmt::format("constexpr long long {} = {};\n", constant_name(name), value_text(value));
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

/// What the problem's own bounds of the axes say.
std::string supported(const ExportRequest& request) {
  std::vector<std::string> tests;
  for (const auto& axis : request.problem.axes) {
    if (axis.compile_time) continue;
    if (axis.minimum) tests.push_back(fmt::format("axes.{} >= {}", axis.name, *axis.minimum));
    if (axis.maximum) tests.push_back(fmt::format("axes.{} <= {}", axis.name, *axis.maximum));
    if (axis.multiple_of) tests.push_back(fmt::format("axes.{} % {} == 0", axis.name, *axis.multiple_of));
    if (axis.allowed.empty()) continue;
    std::string any;
    for (const auto value : axis.allowed)
      any += fmt::format("{}axes.{} == {}", any.empty() ? "" : " || ", axis.name, value);
    tests.push_back("(" + any + ")");
  }
  return tests.empty() ? "true" : fmt::format("{}", fmt::join(tests, " && "));
}

/// For each array, the bytes from its first element to its last.
model::Expected<std::string> sizes(const ExportRequest& request, const Names& names) {
  std::string text;
  for (const auto& argument : request.problem.arguments) {
    if (argument.role == model::ArgumentRole::scalar) continue;
    std::string last = "0", empty = "false";
    for (std::size_t i = 0; i < argument.shape.size(); ++i) {
      const auto size = names.cpp(argument.shape[i]), stride = names.cpp(argument.strides[i]);
      if (!size) return size;
      if (!stride) return stride;
      last += fmt::format(" + (({}) - 1) * ({})", *size, *stride);
      empty += fmt::format(" || ({}) == 0", *size);
    }
    std::string slices;
    if (argument.slices) {
      const auto count = names.cpp(*argument.slices);
      if (!count) return count;
      slices = fmt::format(" * ({})", *count);
    }
    text += fmt::format(
        "constexpr long long bytes_of_{}([[maybe_unused]] const Axes& axes) {{\n"
        "  return ({}) ? 0 : ({} + 1) * {}{};\n}}\n",
        argument.name, empty, last, model::size_of(argument.dtype), slices);
  }
  return text;
}

/// The problem's value of each scalar that launch() is given.
model::Expected<std::string> given_scalars(const ExportRequest& request, const Names& names) {
  std::string text;
  for (const auto& argument : request.problem.arguments) {
    if (!is_given(argument)) continue;
    auto value = model::Expected<std::string>(fmt::format("{:.17g}", argument.scalar.number));
    if (argument.scalar.form == model::ScalarValue::Form::inverse_sqrt) {
      value = names.cpp(argument.scalar.expression);
      if (!value) return value;
      value = fmt::format("1.0 / std::sqrt(static_cast<double>({}))", *value);
    } else if (argument.scalar.form == model::ScalarValue::Form::quotient) {
      value = names.cpp(argument.scalar.expression);
      if (!value) return value;
      std::string above = fmt::format("{:.17g}", argument.scalar.number);
      if (argument.scalar.times) {
        const auto times = names.cpp(*argument.scalar.times);
        if (!times) return times;
        above += fmt::format(" * static_cast<double>({})", *times);
      }
      value = fmt::format("{} / static_cast<double>({})", above, *value);
    } else if (argument.scalar.form == model::ScalarValue::Form::real) {
      std::optional<model::Error> wrong;
      const auto real = model::real_in_cpp(argument.scalar.real, [&](const std::string& name) {
        const auto one = names.cpp(model::Expression::parse(name).value());
        if (!one) wrong = one.error();
        return one ? fmt::format("static_cast<double>({})", *one) : std::string();
      });
      if (wrong) return tl::make_unexpected(*wrong);
      value = real.value();  // it was read before
    }
    text += fmt::format("inline double value_of_{}([[maybe_unused]] const Axes& axes) {{ return {}; }}\n",
                        argument.name, *value);
  }
  return text;
}

/// For each plan of the case, the number of its launch and what stands behind `axes` in calls; of a launch in
/// loops only the first turn, and nothing for others.
std::vector<std::optional<std::pair<std::size_t, std::string>>> turns_of(const ExportRequest& request,
                                                                         const model::Case& bound) {
  const auto launches = launches_of(request);
  model::Environment environment = request.bound_space.fixed();
  for (const auto& [name, value] : request.variant.genome.values()) environment.insert_or_assign(name, value);
  for (const auto& [name, value] : bound.axes) environment.insert_or_assign(name, value);
  std::vector<std::optional<std::pair<std::size_t, std::string>>> turns;
  std::set<std::size_t> seen;
  // Bound before, so that there are steps.
  const std::vector<model::LaunchStep> steps = model::launch_steps(launches, environment).value();
  for (const model::LaunchStep& step : steps) {
    const auto number =
        static_cast<std::size_t>(std::find(launches.begin(), launches.end(), step.launch) - launches.begin());
    std::string loops;
    for (const model::LaunchLoop& loop : step.launch->loops)
      loops += ", " + model::to_string(step.loops.at(loop.name));
    turns.emplace_back();
    if (seen.insert(number).second) turns.back().emplace(number, loops);
  }
  return turns;
}

std::string check_of(const ExportRequest& request, const model::Case& bound, const std::string& name,
                     const std::string& axes, std::int64_t smem_limit) {
  std::string text = fmt::format("constexpr Axes {}{};  // {}\n", name, axes, bound.name);
  const auto plans = model::kernels_of(bound.launch);
  const auto turns = turns_of(request, bound);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!turns.at(i)) continue;
    const auto& grid = plans[i]->grid;
    const auto& block = plans[i]->block;
    text += fmt::format(
        R"(static_assert(grid_x{n}({name}{loops}) == {} && grid_y{n}({name}{loops}) == {} && grid_z{n}({name}{loops}) == {},
              "not the plan that was proven");
static_assert(block_x{n}({name}{loops}) == {} && block_y{n}({name}{loops}) == {} && block_z{n}({name}{loops}) == {},
              "not the plan that was proven");
static_assert(dynamic_smem{n}({name}{loops}) == {}, "not the plan that was proven");
static_assert(block_x{n}({name}{loops}) * block_y{n}({name}{loops}) * block_z{n}({name}{loops}) <= 1024, "too many threads");
static_assert(dynamic_smem{n}({name}{loops}) <= {}, "more shared memory than the target has");
)",
        grid[0], grid[1], grid[2], block[0], block[1], block[2], plans[i]->dynamic_smem, smem_limit,
        fmt::arg("name", name), fmt::arg("n", launch_suffix(turns[i]->first)),
        fmt::arg("loops", turns[i]->second));
  }
  return text;
}

}  // namespace

model::Expected<std::string> write_plan(const ExportRequest& request, const std::string& name,
                                        const std::vector<model::Case>& cases) {
  const Names names(request);
  const auto launches = launches_of(request);
  for (std::size_t i = 1; i < launches.size(); ++i) {
    if (!launches[i]->tensor_maps.empty()) {
      return tl::make_unexpected(
          model::Error{"an export has no tensor maps for the second of several launches",
                       launches[i]->grid[0].file(), launches[i]->grid[0].line(), 0});
    }
  }
  std::string functions;
  const auto add = [&](const std::string& function, const model::Expression& expression,
                       const std::string& loops) -> model::Expected<void> {
    const auto text = names.cpp(expression);
    if (!text) return tl::make_unexpected(text.error());
    functions += fmt::format("constexpr long long {}([[maybe_unused]] const Axes& axes{}) {{ return {}; }}\n",
                             function, loops, *text);
    return {};
  };
  const char* const dimensions[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const std::string suffix = launch_suffix(k), loops = loop_parameters(*launches[k]);
    for (std::size_t i = 0; i < 3; ++i) {
      if (const auto done = add(fmt::format("grid_{}{}", dimensions[i], suffix), launches[k]->grid[i], loops);
          !done)
        return tl::make_unexpected(done.error());
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (const auto done =
              add(fmt::format("block_{}{}", dimensions[i], suffix), launches[k]->block[i], loops);
          !done)
        return tl::make_unexpected(done.error());
    }
    if (const auto done = add("dynamic_smem" + suffix, launches[k]->dynamic_smem, loops); !done)
      return tl::make_unexpected(done.error());
  }

  std::string axes;
  for (const auto* axis : names.run_time_axes()) {
    axes += fmt::format("  long long {};{}\n", axis->name,
                        axis->description.empty() ? "" : "  // " + axis->description);
  }
  std::string checks;
  for (std::size_t number = 0; number < cases.size(); ++number) {
    checks += check_of(request, cases[number], fmt::format("workload_{}", number),
                       axes_literal(names, cases[number]), request.target.smem_per_block_optin);
  }

  const auto bytes = sizes(request, names);
  if (!bytes) return tl::make_unexpected(bytes.error());
  const auto scalars = given_scalars(request, names);
  if (!scalars) return tl::make_unexpected(scalars.error());
  const auto maps = write_tensor_maps(request, names);
  if (!maps) return tl::make_unexpected(maps.error());
  const auto textures = write_textures(request, names);
  if (!textures) return tl::make_unexpected(textures.error());
  return fmt::format(
      R"(// How to launch {entry}: variant {variant} of template {template_name}, problem {problem}.
// Call {plan}::launch(); it is in {name}.cu. Or launch the kernel yourself with grid_*, block_* and
// dynamic_smem bytes of dynamic shared memory; above 48 KB that needs cudaFuncSetAttribute first.
// Proven for the accuracy class {accuracy} under the limits of {target}; provenance.json says how.
#pragma once

#include <algorithm>
#include <cmath>

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
constexpr long long floor_div(long long a, long long b) {{
  return a / b - ((a % b != 0 && (a % b > 0) != (b > 0)) ? 1 : 0);
}}
constexpr long long power(long long a, long long b) {{ return b <= 0 ? 1 : a * power(a, b - 1); }}

{functions}
/// The problem's bounds of its axes: nothing beyond them was proven.
constexpr bool supported([[maybe_unused]] const Axes& axes) {{ return {supported}; }}

// Bytes of each array, from its first element to its last.
{bytes}{scalars}
// The plans that were run.
{checks}
}}  // namespace {plan}

{launch}{maps}{textures})",
      fmt::arg("entry", request.kernel_template.entry), fmt::arg("variant", request.variant.id),
      fmt::arg("template_name", request.kernel_template.name), fmt::arg("problem", request.problem.name),
      fmt::arg("accuracy", request.accuracy_class), fmt::arg("target", request.target.name),
      fmt::arg("plan", plan_namespace(name)), fmt::arg("axes", axes),
      fmt::arg("constants", constants(request)), fmt::arg("functions", functions), fmt::arg("checks", checks),
      fmt::arg("supported", supported(request)), fmt::arg("bytes", *bytes), fmt::arg("name", name),
      fmt::arg("scalars",
               scalars->empty()
                   ? ""
                   : "\n// The problem's value of each scalar that launch() is given.\n" + *scalars),
      fmt::arg("launch", launch_declarations(request, name)), fmt::arg("maps", *maps),
      fmt::arg("textures", *textures));
}

}  // namespace evo::exporting
