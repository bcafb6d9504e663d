#include "evaluators/reference/reference_source.hpp"

#include <fmt/format.h>

#include "evaluators/compile/virtual_headers.hpp"
#include "evaluators/reference/powers.hpp"
#include "model/macro_name.hpp"
#include "model/records.hpp"
#include "source/number_types.hpp"

namespace evo::evaluators::reference {
namespace {

std::string_view type_name(model::DType dtype, std::string_view real) {
  return model::is_floating(dtype) ? real : model::c_type_of(dtype);
}

constexpr const char* struct_pointer =
    "struct evo_structs { void* first; template <class T> __device__ operator T*() const { return (T*)first; "
    "} "
    "};\n";

}  // namespace

compile::CompileRequest reference_request(
    const model::Problem& problem, const std::map<std::string, std::int64_t, std::less<>>& compile_time_axes,
    const std::string& arch, std::string_view real, Powers powers) {
  const model::ReferenceKernel& reference = problem.oracle_kernel.value();
  std::string macros = fmt::format("#include \"{}\"\ntypedef {} evo_real_t;\n#define EVO_REAL evo_real_t\n",
                                   compile::mixed_math_name, real);
  for (const model::Axis& axis : problem.axes) {
    if (!axis.compile_time) continue;
    const auto value = compile_time_axes.find(axis.name);
    if (value == compile_time_axes.end() && !axis.initial) continue;
    macros += fmt::format("#define {} {}\n", model::macro_name(axis.name),
                          value == compile_time_axes.end() ? *axis.initial : value->second);
  }
  if (powers == Powers::by_exp2) macros += definition_of_powers();
  std::string parameters, arguments, converter;
  for (const std::uint32_t i : model::reference_arguments(problem.arguments)) {
    const model::Argument& argument = problem.arguments[i];
    const std::string_view star = argument.role == model::ArgumentRole::scalar ? "" : "*";
    const std::string_view comma = i == 0 ? "" : ", ";
    if (!model::record_of(argument.name).empty()) {  // a pointer to the reference's own struct
      converter = struct_pointer;
      parameters += fmt::format("{}void* evo_{}", comma, i);
      arguments += fmt::format("{}evo_structs{{evo_{}}}", comma, i);
      continue;
    }
    parameters += fmt::format("{}{}{} evo_{}", comma, type_name(argument.dtype, real), star, i);
    arguments += fmt::format("{}evo_{}", comma, i);
  }
  const std::string text =
      powers == Powers::by_exp2 ? with_powers_by_exp2(reference.source) : reference.source;
  compile::CompileRequest request;
  // As a device function it can be called, whatever its linkage, namespace or template parameters; inlined it
  // would stand at the line of the call. The call follows the reference's last line, in its file: findings
  // are told by the lines of the file that the entry stands in.
  request.source = fmt::format(
      "{}#undef __global__\n#define __global__ __device__ __noinline__\n#line 1 \"{}\"\n{}\n"
      "#undef __global__\n#define __global__ __attribute__((global))\n"
      "{}extern \"C\" __global__ void {}({}) {{\n  {}({});\n}}\n",
      macros, reference.source_file,
      real == "float" ? source::with_float_numbers(text) : source::with_double_numbers(text), converter,
      wrapper_entry, parameters, reference.entry, arguments);
  request.source_file = reference.source_file;
  request.entry = wrapper_entry;
  request.arch = arch;
  return request;
}

}  // namespace evo::evaluators::reference
