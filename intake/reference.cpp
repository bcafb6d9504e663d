#include "intake/reference.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/files.hpp"
#include "intake/macros.hpp"
#include "intake/probe.hpp"
#include "intake/types.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

constexpr const char* adapter = "evo_call_reference";

constexpr const char* widening =
    "#define float EVO_REAL\n#define expf exp\n#define __expf exp\n#define exp2f exp2\n#define logf log\n"
    "#define __logf log\n#define log2f log2\n#define sqrtf sqrt\n#define rsqrtf rsqrt\n#define fmaxf fmax\n"
    "#define fminf fmin\n#define fabsf fabs\n#define powf pow\n#define sinf sin\n#define cosf cos\n#define "
    "tanhf tanh\n"
    "#define erff erf\n#define fmaf fma\n#define roundf round\n#define floorf floor\n#define ceilf ceil\n"
    "#define __fdividef(a, b) ((a) / (b))\n"
    // Those of the prelude are of type float by its name, which is EVO_REAL here.
    "#undef INFINITY\n#define INFINITY __builtin_bit_cast(double, 0x7ff0000000000000ull)\n"
    "#undef NAN\n#define NAN __builtin_bit_cast(double, 0x7fffffffffffffffull)\n";

[[noreturn]] void invalid(const std::string& message) {
  throw model::Exception(model::ExitCode::invalid_configuration, message);
}

/// FILE:ENTRY; an entry has "::" only behind its first name.
std::pair<std::string, std::string> file_and_entry(const std::string& argument) {
  const std::size_t dot = argument.rfind(".cu");
  const std::size_t colon = argument.find(':', dot == std::string::npos ? 0 : dot);
  if (colon == std::string::npos) return {argument, ""};
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

bool mentions(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Which of the problem's parameters each of the reference's is; throws where that cannot be said.
std::vector<std::size_t> match(const Reference& reference,
                               const std::vector<ReferenceParameter>& parameters) {
  std::vector<std::string> names;
  for (const ReferenceParameter& parameter : parameters) names.push_back(parameter.name);
  const std::vector<Parameter>& own = reference.kernel.parameters;
  const bool all =
      std::all_of(own.begin(), own.end(), [&](const Parameter& p) { return mentions(names, p.name); });
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), own[i].name);
    if (!all && own.size() != parameters.size()) {
      if (found != names.end()) continue;
      invalid(fmt::format("{}:{}: {} takes '{}', which the kernel does not have{}", reference.file,
                          own[i].line, reference.kernel.name, own[i].name,
                          config::suggestion(own[i].name, names)));
    }
    const std::size_t at = all ? static_cast<std::size_t>(found - names.begin()) : i;
    if (parameters[at].array != own[i].pointer)
      invalid(fmt::format("{}:{}: '{}' is {}, but the kernel's '{}' is {}", reference.file, own[i].line,
                          own[i].name, own[i].pointer ? "a pointer" : "no pointer", parameters[at].name,
                          parameters[at].array ? "a pointer" : "none"));
    order.push_back(at);
  }
  return order;
}

/// "k<EVO_REAL, 16>": what a reference template is called with.
std::string instance(const Reference& reference, const std::string& given) {
  if (given.find('<') != std::string::npos) return given;
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

}  // namespace

std::vector<Parameter> reference_parameters(const std::string& argument) {
  const auto [file, entry] = file_and_entry(argument);
  const std::string source = read_user_file(file);
  return choose_kernel(file, source, wanted_of(source, entry), "--reference FILE:ENTRY").front().parameters;
}

Reference read_reference(evaluators::compile::Compiler& compiler, const std::string& argument,
                         const std::vector<ReferenceParameter>& parameters,
                         const std::vector<std::pair<std::string, std::string>>& macros,
                         const std::string& arch) {
  Reference reference;
  const auto [file, entry] = file_and_entry(argument);
  reference.file = file;
  const std::string source = read_user_file(file);
  const std::string wanted = wanted_of(source, entry);
  reference.kernel = choose_kernel(file, source, wanted, "--reference FILE:ENTRY").front();
  const std::vector<std::size_t> order = match(reference, parameters);
  const std::string called = instance(reference, wanted);

  const std::vector<std::string> names = names_of(source);
  const bool widen = !mentions(names, "EVO_REAL") && mentions(names, "float");
  std::string head;
  for (const auto& [name, value] : macros) {
    const DefinedMacro* defined = macros_of(source).find(name);
    if (mentions(names, name) && (defined == nullptr || defined->guarded))
      head += fmt::format("#define {} {}\n", name, value);
  }
  if (widen) {
    reference.notes.push_back(fmt::format("{} computes in float: there, float is made double", file));
  }
  bool same_order = order.size() == parameters.size();
  for (std::size_t i = 0; i < order.size(); ++i) same_order = same_order && order[i] == i;
  std::string arguments;
  for (const std::size_t at : order) arguments += (arguments.empty() ? "" : ", ") + parameters[at].name;

  // Inlined, the code shows what it does with each parameter.
  ProbeQuestion question;
  const std::string alone = with_only(source, reference.kernel);
  question.source = widen ? behind_includes(alone, widening) : alone;
  question.file = file;
  question.entry = "evo_reference";
  question.arch = arch;
  question.parameters = parameters.size();
  question.find_macros = false;
  question.macros = {{"EVO_REAL", "double"}};
  question.prologue = head + "#undef __global__\n#define __global__ __device__ __forceinline__\n";
  question.epilogue = fmt::format(
      "#undef __global__\n#define __global__ __attribute__((global))\nextern \"C\" __global__ void "
      "evo_reference({}) {{ {}({}); }}",
      parameter_list(parameters), called, arguments);
  const auto answer = probe(compiler, question);
  if (!answer) invalid(fmt::format("the reference does not compile: {}", first_error(answer.error(), file)));
  reference.use = answer->use;
  reference.artifact = answer->artifact;
  for (const Cut& cut : answer->cuts) {
    reference.notes.push_back(fmt::format("{}:{}: {} is left out of the copy", file, cut.first, cut.what));
  }
  reference.entry = called;
  reference.text = answer->source;
  if (!head.empty()) reference.text = head + "#line 1 \"reference.cu\"\n" + reference.text;
  if (!same_order) {
    reference.entry = adapter;
    reference.text +=
        fmt::format("\n// By the problem's arguments.\n__global__ void {}({}) {{\n  {}({});\n}}\n", adapter,
                    parameter_list(parameters), called, arguments);
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
