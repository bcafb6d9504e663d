// A kernel that is known to be correct: whoever refuses it, refuses anything.
#include <string_view>

#include <fmt/format.h>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/selftest/cases.hpp"
#include "model/error.hpp"
#include "model/macro_name.hpp"

namespace evo::evaluators::selftest {
namespace {

using model::ArgumentRole;

constexpr std::string_view threads_mark = "// threads: ";
constexpr std::int64_t block_threads = 128;

/// How many threads the reference kernel wants, by its own line "// threads: EXPRESSION".
model::Expected<std::int64_t> thread_count(const std::string& reference, const model::Case& bound) {
  const std::size_t at = reference.find(threads_mark);
  if (at == std::string::npos) return tl::make_unexpected(model::Error{"no line '// threads: EXPRESSION'"});
  const std::size_t begin = at + threads_mark.size();
  const auto expression = model::Expression::parse(
      reference.substr(begin, reference.find('\n', begin) - begin), "reference.cu", 1, 1);
  if (!expression) return tl::make_unexpected(expression.error());
  model::Environment environment;
  for (const auto& [axis, value] : bound.axes) environment.insert_or_assign(axis, value);
  return expression->evaluate_integer(environment);
}

/// The reference as a kernel of its own for one case: its Axes are constants, its outputs are FP32.
std::string wrap(const Subject& subject, const model::Case& bound) {
  std::string macros;
  std::string fields;
  std::string values;
  for (const model::Axis& axis : subject.experiment.problem.axes) {
    const auto value = bound.axes.find(axis.name);
    if (value == bound.axes.end()) continue;
    if (axis.compile_time) {
      macros += fmt::format("#define {} {}\n", model::macro_name(axis.name), value->second);
    } else {
      fields += fmt::format("  long long {};\n", axis.name);
      values += fmt::format("{}{}LL", values.empty() ? "" : ", ", value->second);
    }
  }
  std::string text = subject.reference;
  if (const std::size_t at = text.find("__global__"); at != std::string::npos) {
    text.replace(at, std::string_view("__global__").size(), "static __device__");
  }
  std::string arguments;
  for (const model::BoundArgument& argument : bound.arguments) arguments += argument.name + ", ";
  return fmt::format(
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n{}struct Axes {{\n{}}};\n#line 1 "
      "\"reference.cu\"\n{}\n"
      "extern \"C\" __global__ void evo_good({}) {{\n  reference({}Axes{{{}}});\n}}\n",
      macros, fields, text, parameters(bound, true), arguments, values);
}

/// The case's axes are constants of the kernel, so each case is a compile of its own.
Check check_reference(const Subject& subject, const std::vector<model::Case>& cases) {
  Check check{"good reference kernel", false, {}, 0};
  model::Case bound = cases.front();
  const auto threads = thread_count(subject.reference, bound);
  if (!threads) {
    check.message = "reference.cu: " + threads.error().message;
    return check;
  }
  for (model::BoundArgument& argument : bound.arguments) {
    if (argument.role == ArgumentRole::output) argument.dtype = model::DType::f32;
    argument.texture.reset();
  }
  bound.launch = {{static_cast<std::uint32_t>((*threads + block_threads - 1) / block_threads), 1, 1},
                  {static_cast<std::uint32_t>(block_threads), 1, 1},
                  0};
  compile::CompileRequest request;
  request.source = wrap(subject, bound);
  request.source_file = "reference.cu";
  request.entry = "evo_good";
  auto artifact = compile_for_device(subject, request);
  if (!artifact) {
    check.message = "it does not compile: " + describe(&artifact.error());
    return check;
  }
  std::vector<model::Case> jobs{bound};
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (argument.role != ArgumentRole::scalar || argument.scalar_float == 0) continue;
    if (argument.dtype != model::DType::f32 && argument.dtype != model::DType::f64) continue;
    model::Case changed = bound;
    changed.name += " with another " + argument.name;
    changed.arguments[i].scalar_float *= 1.25;
    jobs.push_back(std::move(changed));
  }
  const gates::DeviceResult result =
      subject.runner.run(make_job(subject, std::move(*artifact), std::move(jobs)));
  check.pass = !result.gates.empty() && failure_of(result) == nullptr;
  check.message = describe(failure_of(result));
  return check;
}

Check check_baseline(const Subject& subject, std::vector<model::Case> cases) {
  Check check{"good baseline", false, {}, 0};
  const model::Experiment& experiment = subject.experiment;
  const model::Template& kernel = *experiment.problem.find_template(experiment.baseline_template);
  const gates::TemplateContext context = gates::make_context(experiment, kernel);
  compile::CompileRequest request;
  const model::Variant variant = model::make_variant(kernel, context.space, experiment.baseline);
  request.source = variant.source;
  request.options = variant.options;
  request.source_file = kernel.source_file;
  const std::vector<std::string> entries = model::render_entries(kernel, context.space, experiment.baseline);
  request.entry = entries.front();
  request.other_entries.assign(entries.begin() + 1, entries.end());
  request.headers = kernel.headers;
  auto artifact = compile_for_device(subject, request);
  if (!artifact) {
    check.message = "it does not compile: " + describe(&artifact.error());
    return check;
  }
  if (cases.size() > 3) cases.resize(3);
  const gates::DeviceResult result =
      subject.runner.run(make_job(subject, std::move(*artifact), std::move(cases)));
  check.pass = !result.gates.empty() && failure_of(result) == nullptr;
  check.message = describe(failure_of(result));
  return check;
}

}  // namespace

Check check_good_kernel(const Subject& subject) {
  std::vector<model::Case> cases = small_cases(subject.experiment);
  if (subject.reference.empty() && subject.baseline_follows) {
    return {"good baseline", true, "it is the first trial of the run", 0};
  }
  return subject.reference.empty() ? check_baseline(subject, std::move(cases))
                                   : check_reference(subject, cases);
}

}  // namespace evo::evaluators::selftest
