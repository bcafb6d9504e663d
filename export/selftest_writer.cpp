#include "export/selftest_writer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/names.hpp"
#include "export/nvcc_options.hpp"
#include "export/selftest_body.hpp"
#include "export/selftest_plain_errors.hpp"
#include "export/selftest_recorded.hpp"
#include "model/macro_name.hpp"
#include "model/mixed_math.hpp"
#include "source/number_types.hpp"

namespace evo::exporting {
namespace {

/// Threads that reference.cu wants.
model::Expected<std::string> thread_count(const ExportRequest& request, const Names& names) {
  const std::string& reference = request.problem.reference;
  constexpr std::string_view mark = "// threads: ";
  const auto at = reference.find(mark);
  const std::string file = request.problem.folder + "/reference.cu";
  if (at == std::string::npos) {
    return tl::make_unexpected(model::Error{"no line '// threads: EXPRESSION'", file, 0, 0});
  }
  const std::string text = reference.substr(at + mark.size(), reference.find('\n', at) - at - mark.size());
  const auto expression = model::Expression::parse(text, file);
  if (!expression) return tl::make_unexpected(expression.error());
  return names.cpp(*expression);
}

/// The compile-time axes as macros, as the compiler of the references had them.
std::string axis_macros(const ExportRequest& request) {
  std::string text;
  for (const auto& axis : request.problem.axes) {
    const auto value = request.bound_space.fixed().find(axis.name);
    if (!axis.compile_time || value == request.bound_space.fixed().end()) continue;
    text += fmt::format("#define {} {}\n", model::macro_name(axis.name), model::to_string(value->second));
  }
  return text;
}

/// How selftest.cu gets at the reference and launches it.
struct Reference {
  std::map<std::string, std::string> files;     ///< beside selftest.cu
  std::string declaration;                      ///< at global scope
  std::string inside;                           ///< in the plan's namespace
  std::string address, grid, block, more = "";  ///< `more`: further values that it takes
};

/// The oracle with EVO_REAL as `real`, in a file of its own, so that its names and macros meet nobody else's.
std::string reference_file(const ExportRequest& request, const model::ReferenceKernel& kernel,
                           const std::string& real, const std::string& getter) {
  // The same kernel twice in a program: one of the two has another name.
  std::string own = kernel.entry.substr(0, kernel.entry.find('<'));
  if (const auto scope = own.rfind(':'); scope != std::string::npos) own = own.substr(scope + 1);
  const std::string renamed = real == "double" ? "" : fmt::format("#define {0} {0}_in_{1}\n", own, real);
  // A type and no `float`: that may be a macro which says EVO_REAL.
  return fmt::format(
      "// {}, the problem's oracle, in {}.\n{}typedef {} evo_real_t;\n#define EVO_REAL evo_real_t\n{}{}\n{}\n"
      "extern \"C\" const void* {}() {{ return (const void*)(::{}); }}\n",
      kernel.source_file, real == "double" ? "fp64" : "fp32: how far off a plain kernel is",
      model::mixed_math(), real, renamed, axis_macros(request),
      real == "double" ? source::with_double_numbers(kernel.source) : kernel.source, getter, kernel.entry);
}

model::Expected<Reference> reference_of(const ExportRequest& request, const Names& names) {
  Reference reference;
  if (const auto& kernel = request.problem.oracle_kernel) {
    reference.files["selftest_reference.cu"] =
        reference_file(request, *kernel, "double", "evo_selftest_reference");
    reference.declaration = "extern \"C\" const void* evo_selftest_reference();\n";
    if (has_plain_reference(request)) {
      reference.files["selftest_plain.cu"] = reference_file(request, *kernel, "float", "evo_selftest_plain");
      reference.declaration += "extern \"C\" const void* evo_selftest_plain();\n";
    }
    reference.address = "evo_selftest_reference()";
    reference.grid = "each.grid";
    reference.block = "each.block";
    return reference;
  }
  const auto threads = thread_count(request, names);
  if (!threads) return tl::make_unexpected(threads.error());
  reference.files["reference.cuh"] = request.problem.reference;
  reference.inside = axis_macros(request) + "#include \"reference.cuh\"\n";
  reference.address = "(const void*)reference";
  reference.grid = fmt::format("dim3(static_cast<unsigned>(ceil_div({}, 128)))", *threads);
  reference.block = "dim3(128)";
  reference.more = ", &axes";
  return reference;
}

std::string case_table(const Names& names, const std::vector<model::Case>& cases,
                       const ExportRequest* measured) {
  std::string table;
  for (const auto& bound : cases) {
    const model::LaunchPlan plan = bound.reference_launch.value_or(model::LaunchPlan{});
    table += fmt::format(
        "      {{\"{}\", {}, dim3({}), dim3({}){}}},\n", bound.name, axes_literal(names, bound),
        fmt::join(plan.grid, ", "), fmt::join(plan.block, ", "),
        measured != nullptr ? fmt::format(", {:.17g}, {:.17g}", terms_of(bound), cut_off_of(*measured, bound))
                            : "");
  }
  return table;
}

constexpr const char* program_head =
    R"(// Checks launch() of {name}.cu against {checked}.
//   nvcc {arch} -o selftest selftest.cu {name}.cu{more_files} && ./selftest
// Exit code 0: every output of every case is within the accuracy class {accuracy}; 1: not, or a CUDA error.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "{name}.h"

{declaration}
namespace {plan} {{
{inside}
// Bounds of the accuracy class{ceiling}.
constexpr double relative_frobenius = {frobenius:g};
constexpr double max_abs_over_rms = {over_rms:g};
)";

constexpr const char* program_tail = R"(
struct Case {{
  const char* name;
  Axes axes;
{members}}};

bool run_case(const Case& each, [[maybe_unused]] unsigned seed) {{
  Axes axes = each.axes;
  std::printf("%s\n", each.name);
{arrays}
  CHECK(launch(nullptr, axes{launch_arguments}));
  CHECK(cudaDeviceSynchronize());
{expected}  bool good = true;
{comparisons}  return good;
}}

}}  // namespace {plan}

int main({main}) {{
{begin}  const {plan}::Case cases[] = {{
{table}  }};
  bool good = true;
  unsigned seed = 1;
  for (const auto& each : cases) good = {plan}::run_case(each, seed += 100) && good;
  std::printf("%s\n", good ? "all within the bounds" : "FAILED");
  return good ? 0 : 1;
}}
)";

}  // namespace

const char* ceiling_note(const model::Tolerance& tolerance) {
  if (!tolerance.reference_factor) return "";
  return tolerance.automatic
             ? ": its ceiling only. evo held the kernel also against the error of the oracle in float on\n"
               "// the same data (tolerance: auto), which is not measured here"
             : ": its ceiling only. evo held the kernel also against a plain 16-bit implementation,\n"
               "// on the same data (rule reference_factor, see provenance.json), which is not at hand here";
}

bool needs_answers(const model::Problem& problem, const std::string& accuracy_class) {
  if (problem.oracle_kernel) return false;
  const auto* tolerance = problem.find_tolerance(accuracy_class);
  return problem.reference.empty() || (tolerance != nullptr && tolerance->automatic);
}

model::Expected<Selftest> write_selftest(const ExportRequest& request, const std::string& name,
                                         const std::vector<model::Case>& cases) {
  Selftest result;
  const auto against = request.problem.oracle_kernel                            ? Against::oracle_kernel
                       : needs_answers(request.problem, request.accuracy_class) ? Against::recording
                                                                                : Against::reference_cu;
  const auto& arguments = request.problem.arguments;
  if (against != Against::recording && std::ranges::any_of(arguments, [](const model::Argument& argument) {
        return argument.fill && argument.fill->form == model::FillForm::npy;
      })) {
    result.missing = "an argument holds a recording, which stays with the problem";
    return result;
  }
  if (against == Against::recording && request.answers.empty()) {
    result.missing = request.no_answers.empty() ? "nobody asked the oracle for answers" : request.no_answers;
    return result;
  }
  const Names names(request);
  const auto* tolerance = request.problem.find_tolerance(request.accuracy_class);
  if (tolerance == nullptr) {
    return tl::make_unexpected(
        model::Error{fmt::format("the problem has no accuracy class '{}'", request.accuracy_class),
                     request.problem.folder + "/problem.yaml", 0, 0});
  }
  const bool measured = measures_plain_errors(request);
  const auto body = selftest_body(request, names, against);
  if (!body) return tl::make_unexpected(body.error());
  std::string declaration, inside, members, expected, table, opening;
  if (against == Against::recording) {
    auto recordings = write_recordings(request, names, cases);
    if (!recordings) return tl::make_unexpected(recordings.error());
    result.files = std::move(recordings->files);
    members = recordings->members;
    table = recordings->table;
    opening = "  std::FILE* recording = open_recording(each.file);\n";
    expected = "  std::fclose(recording);\n";
    result.against = "answers of the oracle, recorded when this was exported";
  } else {
    auto reference = reference_of(request, names);
    if (!reference) return tl::make_unexpected(reference.error());
    result.files = std::move(reference->files);
    declaration = reference->declaration;
    inside = reference->inside;
    members = std::string("  dim3 grid, block;  // of the reference\n") +
              (measured ? "  double terms;  // of an output\n"
                          "  double cut_off;  // by tensor cores, as a share of the outputs\n"
                        : "");
    table = case_table(names, cases, measured ? &request : nullptr);
    const std::string launch = fmt::format(
        "{{{{ void* taken[] = {{{{{{taken}}{}}}}}; CHECK(cudaLaunchKernel({{address}}, {}, {}, taken, 0, "
        "nullptr)); }}}}\n",
        reference->more, reference->grid, reference->block);
    const std::string line = "  " + launch + "  CHECK(cudaDeviceSynchronize());\n";
    expected = body->values + fmt::format(fmt::runtime(line), fmt::arg("taken", body->reference),
                                          fmt::arg("address", reference->address));
    if (measured) {
      const auto plain_errors = plain_error_statements(request, names, "  " + line);
      if (!plain_errors) return tl::make_unexpected(plain_errors.error());
      expected += *plain_errors;
    }
    result.against =
        request.problem.oracle_kernel ? request.problem.oracle_kernel->source_file : "reference.cu";
  }
  result.bounds = against == Against::recording && tolerance->reference_factor ? "the run's, for these data"
                  : measured                    ? "the run's, measured anew on the data"
                  : tolerance->reference_factor ? "the ceiling of the class"
                                                : "the class's";
  const std::string plan = plan_namespace(name);
  const bool recorded = against == Against::recording;
  std::string more_files;
  for (const auto& [file, text] : result.files) {
    if (file.ends_with(".cu")) more_files += " " + file;
  }
  std::string text = fmt::format(
      fmt::runtime(program_head), fmt::arg("name", name),
      fmt::arg("arch", nvcc_architecture(request.target.arch)), fmt::arg("more_files", more_files),
      fmt::arg("checked", against == Against::recording
                              ? "what the problem's oracle answered to the recorded inputs"
                              : "a plain kernel on random inputs"),
      fmt::arg("accuracy", request.accuracy_class), fmt::arg("declaration", declaration),
      fmt::arg("plan", plan), fmt::arg("inside", inside),
      fmt::arg("frobenius", tolerance->relative_frobenius), fmt::arg("over_rms", tolerance->max_abs_over_rms),
      fmt::arg("ceiling", measured || against == Against::recording
                              ? ", no more than a ceiling where the data decide (allowed)"
                              : ceiling_note(*tolerance)));
  text += selftest_harness();
  if (measured) text += plain_errors_harness();
  if (recorded) text += recording_harness();
  text += fmt::format(fmt::runtime(program_tail), fmt::arg("plan", plan), fmt::arg("members", members),
                      fmt::arg("arrays", opening + body->arrays),
                      fmt::arg("launch_arguments", body->launch_arguments), fmt::arg("expected", expected),
                      fmt::arg("comparisons", body->comparisons), fmt::arg("table", table),
                      fmt::arg("main", recorded ? "int, char** argv" : ""),
                      fmt::arg("begin", recorded ? fmt::format("  {}::program = argv[0];\n", plan) : ""));
  result.files["selftest.cu"] = std::move(text);
  return result;
}

}  // namespace evo::exporting
