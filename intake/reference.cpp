#include "intake/reference.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "evaluators/compile/virtual_headers.hpp"
#include "intake/files.hpp"
#include "intake/host_code.hpp"
#include "intake/macros.hpp"
#include "intake/other_platforms.hpp"
#include "intake/probe.hpp"
#include "intake/reference_match.hpp"
#include "intake/standard_names.hpp"
#include "intake/types.hpp"
#include "intake/widening.hpp"
#include "model/entry_name.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

constexpr const char* adapter = "evo_call_reference";
constexpr const char* as_device_functions =
    "#undef __global__\n#define __global__ __device__ __forceinline__\n";
constexpr const char* as_kernels = "#undef __global__\n#define __global__ __attribute__((global))\n";

[[noreturn]] void invalid(const std::string& message) {
  throw model::Exception(model::ExitCode::invalid_configuration, message);
}

bool mentions(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// FILE:ENTRY; an entry has "::" only behind its first name.
std::pair<std::string, std::string> file_and_entry(const std::string& argument) {
  const std::size_t dot = argument.rfind(".cu");
  const std::size_t colon = argument.find(':', dot == std::string::npos ? 0 : dot);
  if (colon == std::string::npos) return {argument, ""};
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

/// "k<EVO_REAL, 16>": what a reference template is called with.
std::string instance(const Reference& reference, const std::string& given) {
  // Without the parameters by which an overload is chosen: those may hold a '<', too.
  if (const std::string named = model::without_parameters(given).first; named.find('<') != std::string::npos)
    return named;
  if (reference.kernel.templates.empty()) return reference.kernel.name;
  std::string arguments;
  for (const TemplateParameter& parameter : reference.kernel.templates) {
    if (!parameter.fallback.empty()) break;
    if (!parameter.type)
      throw model::Exception(
          model::ExitCode::usage,
          fmt::format("{}:{}: {} is a template over {}: name an instance, --reference '{}:{}<...>'",
                      reference.file, reference.kernel.line, reference.kernel.name, parameter.name,
                      reference.file, reference.kernel.name));
    arguments += (arguments.empty() ? "" : ", ") + std::string("EVO_REAL");
  }
  return reference.kernel.name + "<" + arguments + ">";
}

std::string parameter_list(const std::vector<ReferenceParameter>& parameters) {
  std::string list;
  for (const ReferenceParameter& p : parameters)
    list += fmt::format("{}{}{} {}", list.empty() ? "" : ", ", reference_type(p.dtype), p.array ? "*" : "",
                        p.name);
  return list;
}

/// What it is called with, in its own order.
std::string arguments_of(const std::vector<Matched>& order, const std::vector<ReferenceParameter>& parameters,
                         bool converts) {
  const auto passed = [&](std::size_t at) {
    const ReferenceParameter& each = parameters[at];
    return converts && each.array ? converted(reference_type(each.dtype), each.name) : each.name;
  };
  std::string arguments;
  for (const Matched& matched : order) {
    arguments += arguments.empty() ? "" : ", ";
    if (matched.structure.empty()) {
      arguments += passed(matched.at.front());
      continue;
    }
    arguments += fmt::format("[&] {{ {} evo_struct{{}};", matched.structure);
    for (const std::size_t at : matched.at) {
      const std::string& path = parameters[at].path;
      arguments += fmt::format(" evo_struct{} = {};", path.substr(path.find('.')), passed(at));
    }
    arguments += " return evo_struct; }()";
  }
  return arguments;
}

/// Whether its arrays are of types that the call has, too: no unsigned long, char, float4 or struct.
bool plain_types(const KernelText& kernel) {
  static const std::vector<std::string> types{
      "float",         "double",   "EVO_REAL",  "int",         "unsigned",       "unsigned int",
      "unsigned char", "short",    "long long", "signed char", "unsigned short", "unsigned long long",
      "int32_t",       "uint32_t", "uint8_t"};
  return std::ranges::all_of(kernel.parameters, [](const Parameter& parameter) {
    std::string type = parameter.type.substr(0, parameter.type.find('*'));
    if (type.starts_with("const ")) type = type.substr(6);
    return !parameter.pointer || mentions(types, trimmed(type));
  });
}

/// `text` behind the last #include, so that no header of the toolkit sees it.
std::string behind_includes(const std::string& source, const std::string& text) {
  std::size_t at = 0;
  int line = 1, lines = 1;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    ++lines;
    const std::size_t hash = source.find_first_not_of(" \t", begin);
    if (hash < end && source[hash] == '#' && source.find("include", hash) < end) {
      at = std::min(end + 1, source.size());
      line = lines;
    }
    begin = end + 1;
  }
  return source.substr(0, at) + text + fmt::format("#line {} \"reference.cu\"\n", line) + source.substr(at);
}

/// The text with the bodies of all kernels but `wanted` empty: what others compute in is their business.
std::string with_only(std::string source, const KernelText& wanted) {
  for (const KernelText& other : kernels_of(source)) {
    if (other.name == wanted.name) continue;
    for (std::size_t i = other.begin + 1; i + 1 < other.end; ++i) {
      if (source[i] != '\n') source[i] = ' ';
    }
  }
  return source;
}

/// Headers of the user's that it does not need: a reference shares none with the kernel.
void leave_out_headers(evaluators::compile::Compiler& compiler, ProbeQuestion question, ProbeAnswer& answer) {
  std::vector<std::string> headers;
  for (const auto& [name, text] : answer.headers) headers.push_back(name);
  for (const std::string& header : headers) {
    std::vector<Cut> cuts = answer.cuts;
    question.source = without_include(answer.source, header, cuts);
    if (question.source == answer.source) continue;
    auto without = probe(compiler, question);
    // What had to go for that was needed.
    if (!without || !without->cuts.empty() || without->headers.contains(header)) continue;
    without->cuts = std::move(cuts);
    without->notes = answer.notes;
    answer = std::move(*without);
  }
}

/// The compiler's first error, with its file and line.
std::string first_error(const model::Failure& failure, const std::string& file) {
  for (const model::Evidence& evidence : failure.evidence)
    return evidence.line > 0 ? fmt::format("{}:{}: {}", file, evidence.line, evidence.message)
                             : fmt::format("{}: {}", file, evidence.message);
  return fmt::format("{}: {}", file, failure.reason);
}

/// The entry that is meant: the one that was named, or else the kernel `reference`.
std::string wanted_of(const std::string& source, const std::string& entry) {
  if (!entry.empty()) return entry;
  for (const KernelText& kernel : kernels_of(source)) {
    if (kernel.plain == "reference") return kernel.name;
  }
  return {};
}

/// The first array that reference and kernel have in types that do not go together; "" where there is none.
std::string types_apart(const KernelText& reference, const std::vector<ReferenceParameter>& parameters) {
  for (const Parameter& own : reference.parameters) {
    const auto same = std::ranges::find(parameters, own.name, &ReferenceParameter::name);
    if (same == parameters.end() || !own.pointer || !same->array) continue;
    const ElementType type = element_type(own.type);
    const ElementType other{same->dtype};
    if (type.dtype.empty() || type.floating() == other.floating()) continue;
    return fmt::format(
        "'{}' is '{}' in the reference, and an array of {} in the kernel: one of the two has to change",
        own.name, own.type, same->dtype);
  }
  return {};
}

/// Whether an array of it is of float, of 16 bits or of vectors of these.
bool takes_narrow_arrays(const KernelText& kernel) {
  return std::ranges::any_of(kernel.parameters, [](const Parameter& parameter) {
    return parameter.pointer && std::ranges::any_of(names_of(parameter.type), is_widened);
  });
}

}  // namespace

std::vector<Parameter> reference_parameters(const std::string& argument) {
  const auto [file, entry] = file_and_entry(argument);
  std::vector<std::string> put;
  const std::string source =
      with_included_kernels(file, without_other_platforms(read_user_file(file)), entry, put);
  return choose_kernel(file, source, wanted_of(source, entry), "--reference FILE:ENTRY").front().parameters;
}

Reference read_reference(evaluators::compile::Compiler& compiler, const std::string& argument,
                         const std::vector<ReferenceParameter>& parameters,
                         const std::vector<std::pair<std::string, std::string>>& macros,
                         const std::string& arch, bool kernel_in_double) {
  Reference reference;
  const auto [file, entry] = file_and_entry(argument);
  reference.file = file;
  std::vector<std::string> put;
  const std::string source =
      with_included_kernels(file, without_other_platforms(read_user_file(file)), entry, put);
  const std::string wanted = wanted_of(source, entry);
  reference.kernel = choose_kernel(file, source, wanted, "--reference FILE:ENTRY").front();
  const std::vector<Matched> order = match_parameters(reference, parameters);
  const std::string called = instance(reference, wanted);

  std::vector<std::string> names = names_of(source);
  // `half` alone may be a variable; as the type of a parameter it is none.
  const bool halves = std::ranges::any_of(reference.kernel.parameters, [](const Parameter& parameter) {
    return mentions(names_of(parameter.type), "half");
  });
  if (halves) names.emplace_back("__half");
  // What a kernel without a double can know is what a plain one in float computes, and a reference that sums
  // in double would not tell that.
  const bool beside = !kernel_in_double && mentions(names, "double");
  const bool doubles =
      beside || std::ranges::any_of(reference.kernel.parameters, [](const Parameter& parameter) {
        return parameter.type.find("double") != std::string::npos;
      });
  // Arrays arrive as EVO_REAL: a file that says it and yet takes float arrays means both.
  const bool own_reals = mentions(names, "EVO_REAL") && !takes_narrow_arrays(reference.kernel);
  const std::string widening = own_reals ? std::string() : widening_for(names, doubles);
  std::string head;
  for (const auto& [name, value] : macros) {
    const DefinedMacro* defined = macros_of(source).find(name);
    // A size that is a macro of the kernel's file is a parameter where the reference takes it as one.
    const bool parameter = std::ranges::find(reference.kernel.parameters, name, &Parameter::name) !=
                           reference.kernel.parameters.end();
    if (parameter) head += fmt::format("#undef {}\n", name);
    if (!parameter && mentions(names, name) && (defined == nullptr || defined->guarded))
      head += fmt::format("#define {} {}\n", name, value);
  }
  // In front of all macros: no header may see them.
  const std::string standard = standard_includes(names, includes_of(source));
  if (!widening.empty() && (mentions(names, "float") || !doubles)) {
    reference.notes.push_back(
        fmt::format("{} computes in {}: there, it is made double", file,
                    mentions(names, "half") && !mentions(names, "float") ? "half" : "float"));
  }
  bool same_order = order.size() == parameters.size();
  for (std::size_t i = 0; i < order.size(); ++i) same_order = same_order && order[i] == Matched{{i}, {}};

  // Inlined, the code shows what it does with each parameter.
  ProbeQuestion question;
  const std::string alone = with_only(source, reference.kernel);
  // What inline PTX takes as a float has to stay one.
  const bool literals = mentions(names, "float") && !mentions(names, "asm");
  question.source =
      widening.empty() ? alone : behind_includes(literals ? with_wide_literals(alone) : alone, widening);
  question.file = file;
  question.entry = "evo_reference";
  question.arch = arch;
  question.parameters = parameters.size();
  question.find_macros = false;
  question.macros = {{"EVO_REAL", "double"}};
  const std::string inlined = fmt::format("#include \"{}\"\n", evaluators::compile::mixed_math_name) +
                              standard + head + as_device_functions;
  tl::expected<ProbeAnswer, model::Failure> answer = tl::make_unexpected(model::Failure{});
  // What both ways have, the first one says best: types that differ are no fault where arrays are converted.
  std::optional<model::Failure> first;
  std::string arguments;
  bool converts = !plain_types(reference.kernel);
  for (const bool again : {false, true}) {
    converts = converts != again;
    arguments = arguments_of(order, parameters, converts);
    question.prologue = (converts ? array_converter() : std::string()) + inlined;
    question.epilogue = fmt::format("{}extern \"C\" __global__ void evo_reference({}) {{ {}({}); }}",
                                    as_kernels, parameter_list(parameters), called, arguments);
    answer = probe(compiler, question);
    if (answer) break;
    if (!first) first = answer.error();
  }
  if (!answer) {
    if (const std::string apart = types_apart(reference.kernel, parameters); !apart.empty())
      invalid(fmt::format("{}: {}", file, apart));
    invalid(
        fmt::format("the reference does not compile: {}", first_error(first.value_or(answer.error()), file)));
  }
  leave_out_headers(compiler, question, *answer);
  reference.use = answer->use;
  reference.artifact = answer->artifact;
  for (const Cut& cut : answer->cuts) {
    reference.notes.push_back(fmt::format("{}:{}: {} is left out of the copy", file, cut.first, cut.what));
  }
  reference.entry = called;
  reference.text = answer->source;
  head = standard + (converts ? array_converter() : std::string()) + head;
  const bool adapts = !same_order || converts;
  // A kernel cannot call one: what the adapter calls is a device function. So it is for nvcc, too, where the
  // text stands in an export.
  if (adapts) head += as_device_functions;
  if (!head.empty()) reference.text = head + "#line 1 \"reference.cu\"\n" + reference.text;
  if (adapts) {
    reference.entry = adapter;
    reference.text +=
        fmt::format("\n{}// By the problem's arguments.\n__global__ void {}({}) {{\n  {}({});\n}}\n",
                    as_kernels, adapter, parameter_list(parameters), called, arguments);
  }
  return reference;
}

std::string reference_stub(const std::vector<ReferenceParameter>& parameters, const std::string& output,
                           const std::string& elements) {
  std::string list;
  for (const ReferenceParameter& p : parameters) {
    const std::string qualifier = p.array && !p.written && p.name != output ? "const " : "";
    list += fmt::format("{}{}{}{} {}", list.empty() ? "" : ", ", qualifier, reference_type(p.dtype),
                        p.array ? "*" : "", p.name);
  }
  return fmt::format(
      "// What the kernel must compute, as plainly as can be: i counts the elements of {0}. EVO_REAL is "
      "double.\n"
      "__global__ void reference({1}) {{\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "{2}  // TODO: {0}[i] = ...\n}}\n",
      output.empty() ? "the output" : output, list,
      elements.empty() ? std::string() : fmt::format("  if (i >= {}) return;\n", elements));
}

}  // namespace evo::intake
