// T1 files of Kernel Tuner and KTT. They speak of one size: axes have no other.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/nearest.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/foreign_json.hpp"
#include "intake/launch_guess.hpp"
#include "intake/reference.hpp"
#include "intake/request.hpp"
#include "intake/signature.hpp"
#include "intake/t1_sizes.hpp"
#include "intake/user_headers.hpp"
#include "intake/value_lists.hpp"
#include "model/error.hpp"
#include "model/expression.hpp"
#include "model/target.hpp"

namespace evo::intake {
namespace {

/// Python's // is / of our expressions, which are integers.
std::string in_our_words(const ForeignJson& where, const T1Sizes& sizes) {
  std::string text = sizes.with_numbers(where.text());
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) text.erase(at, 1);
  const auto expression = model::Expression::parse(text);
  if (!expression)
    where.fail(
        fmt::format("'{}' is no expression that evo reads: {}", where.text(), expression.error().message));
  std::vector<std::string> known;
  for (const DraftGene& gene : sizes.genes) known.push_back(gene.name);
  for (const std::string& name : expression->names()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      where.fail(fmt::format("'{}': there is no parameter '{}'{}", where.text(), name,
                             config::suggestion(name, known)));
  }
  return text;
}

DraftGene gene_of(const ForeignJson& parameter) {
  DraftGene gene{parameter.at("Name").text(), {}, "", false, "", ""};
  const ForeignJson values = parameter.at("Values");
  auto listed = listed_values(values.text());
  if (!listed) values.fail(fmt::format("'{}' is no list of values: {}", values.text(), listed.error()));
  if (listed->empty()) values.fail("a parameter needs at least one value");
  gene.values = std::move(*listed);
  return gene;
}

std::string dtype_of(const ForeignJson& argument) {
  static const std::map<std::string, std::string, std::less<>> types{
      {"float", "f32"},  {"double", "f64"}, {"half", "f16"},   {"int8", "i8"},    {"uint8", "u8"},
      {"int16", "i16"},  {"uint16", "u16"}, {"int32", "i32"},  {"uint32", "u32"}, {"int64", "i64"},
      {"uint64", "u64"}, {"bool", "bool"},  {"float2", "f32"}, {"float4", "f32"}};
  const ForeignJson type = argument.at("Type");
  const auto found = types.find(type.text());
  const std::vector<std::string> known = known_dtypes();
  if (found == types.end() || std::find(known.begin(), known.end(), found->second) == known.end()) {
    std::vector<std::string> names;
    for (const auto& each : types) names.push_back(each.first);
    type.fail(fmt::format("evo has no element type for '{}'{}", type.text(),
                          config::suggestion(type.text(), names)));
  }
  return found->second;
}

/// The contents of an array, where problem.yaml can say them.
void read_fill(const ForeignJson& argument, DraftArgument& result, std::vector<std::string>& notes) {
  const std::string kind = argument.optional_text("FillType"), value = argument.optional_text("FillValue");
  std::string fill;
  if (kind == "Constant" && !value.empty()) fill = fmt::format("{{constant: {}}}", value);
  if (kind == "Random") fill = fmt::format("{{uniform: [0, {}]}}", value.empty() ? "1" : value);
  if (kind == "Generator" && argument.optional_text("DataSource") == "i") fill = "{ramp: [0, 1]}";
  const bool input = result.role == "input" || result.role == "inout";
  if (!input) return;
  if (!fill.empty() && known_dialect().fills) {
    result.keys.emplace_back("fill", fill);
  } else if (!kind.empty()) {
    notes.push_back(fmt::format("{}: filled as evo does, not by {} {}", result.name, kind,
                                value.empty() ? argument.optional_text("DataSource") : value));
  }
}

int t1_lanes(const ForeignJson& argument) {
  const std::string type = argument.at("Type").text();
  return type == "float4" ? 4 : type == "float2" ? 2 : 1;
}

DraftArgument argument_of(const ForeignJson& argument, const std::string& axis, std::int64_t size,
                          const T1Sizes& sizes, std::vector<std::string>& notes) {
  DraftArgument result;
  result.name = argument.at("Name").text();
  result.dtype = dtype_of(argument);
  const std::string memory = argument.at("MemoryType").text();
  if (memory == "Scalar") {
    result.role = "scalar";
    result.value = argument.at("FillValue").text();
    const bool floating = result.dtype[0] == 'f';
    if (floating && result.value.find_first_of(".eE") == std::string::npos) result.value += ".0";
    return result;
  }
  // Kernel Tuner names constant memory beside the array, KTT in its place.
  const bool constant = memory == "Symbol" || argument.optional_text("MemType") == "Constant";
  if (memory != "Vector" && memory != "Symbol")
    argument.at("MemoryType")
        .fail(fmt::format("evo cannot import '{}' memory: add it to problem.yaml by hand", memory));
  const std::string access = argument.optional_text("AccessType");
  result.role = access == "ReadOnly" || constant ? "input" : access == "ReadWrite" ? "inout" : "output";
  if (result.role == "inout" && !known_dialect().inout)
    argument.at("AccessType").fail("ReadWrite is role inout, which problem.yaml cannot say yet");
  const std::int64_t elements = sizes.elements(argument.at("Size")) * t1_lanes(argument);
  result.shape = {elements == size ? axis : std::to_string(elements)};
  if (constant) result.keys.emplace_back("symbol", result.name);
  read_fill(argument, result, notes);
  return result;
}

/// The size that most arrays have, an output's before another's, and of equals the largest: not that of a
/// small table.
std::int64_t usual_size(const std::vector<ForeignJson>& arguments, const T1Sizes& sizes) {
  std::map<std::int64_t, int> counts;
  for (const ForeignJson& argument : arguments) {
    if (argument.has("Size"))
      counts[sizes.elements(argument.at("Size"))] +=
          argument.optional_text("AccessType") == "ReadOnly" ? 2 : 3;
  }
  const auto most = std::max_element(counts.rbegin(), counts.rend(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.rend() ? 1 : most->first;
}

/// The blocks of a side as Kernel Tuner launches them: ProblemSize, divided by what GridDivX names, rounded
/// up.
std::string divided_size(const ForeignJson& kernel, const std::string& side, std::size_t dimension,
                         const T1Sizes& sizes) {
  const std::string key = "GridDiv" + side;
  if (!kernel.has(key) || kernel.at(key).is_null() || dimension >= sizes.problem.size()) return {};
  std::vector<std::string> divisors;
  for (const ForeignJson& divisor : kernel.at(key).items()) {
    const std::string text = in_our_words(divisor, sizes);
    const bool name = std::all_of(text.begin(), text.end(),
                                  [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; });
    divisors.push_back(name ? text : "(" + text + ")");
  }
  if (divisors.empty()) return {};
  return fmt::format("ceil_div({}, {})", sizes.problem[dimension], fmt::join(divisors, " * "));
}

void read_sizes(const ForeignJson& kernel, const T1Sizes& sizes, Draft& draft) {
  const bool threads = kernel.optional_text("GlobalSizeType") == "OpenCL" ||
                       kernel.optional_text("GlobalSizeType") == "Vulkan";
  std::size_t dimension = 0;
  for (const char* side : {"X", "Y", "Z"}) {
    if (kernel.at("LocalSize").has(side))
      draft.launch.block.push_back(in_our_words(kernel.at("LocalSize").at(side), sizes));
    const std::string divided = divided_size(kernel, side, dimension++, sizes);
    if (!divided.empty()) {
      draft.launch.grid.push_back(divided);
      continue;
    }
    if (!kernel.at("GlobalSize").has(side)) continue;
    std::string global = in_our_words(kernel.at("GlobalSize").at(side), sizes);
    if (threads && draft.launch.block.size() > draft.launch.grid.size())
      global = fmt::format("ceil_div({}, {})", global, draft.launch.block.back());
    draft.launch.grid.push_back(global);
  }
  const std::string shared =
      kernel.has("SharedMemory") ? in_our_words(kernel.at("SharedMemory"), sizes) : std::string();
  if (!shared.empty() && shared != "0") draft.launch.dynamic_smem = shared;
  if (known_dialect().auto_smem) draft.launch.static_smem = "auto";
}

/// What problem.yaml can say goes there, as NVRTC spells it; the rest is told.
void read_compiler_options(const ForeignJson& kernel, Draft& draft) {
  if (!kernel.has("CompilerOptions") || kernel.at("CompilerOptions").is_null()) return;
  static constexpr std::string_view carried[] = {
      "use_fast_math", "fmad=", "ftz=", "prec-div=", "prec-sqrt=", "maxrregcount=", "std=", "restrict"};
  std::vector<std::string> left;
  for (const ForeignJson& option : kernel.at("CompilerOptions").items()) {
    const std::string text = option.text();
    const std::string_view bare =
        std::string_view(text).substr(std::min(text.find_first_not_of('-'), text.size()));
    if (bare.empty()) continue;
    const bool macro = text.starts_with("-D") || text.starts_with("-U");
    const bool known = std::any_of(std::begin(carried), std::end(carried), [&](std::string_view name) {
      return name.ends_with('=') ? bare.starts_with(name) : bare == name;
    });
    if (known || macro)
      draft.options.push_back(macro ? text : fmt::format("--{}", bare));
    else
      left.push_back(text);
  }
  if (!left.empty())
    draft.notes.push_back(fmt::format("compiler options are left to you: {}", fmt::join(left, ", ")));
}

/// The source and the headers that it includes from beside it.
void read_source(const ForeignJson& kernel, const std::string& file, Draft& draft) {
  const auto source = std::filesystem::path(file).parent_path() / kernel.at("KernelFile").text();
  std::error_code ignored;
  if (!std::filesystem::exists(source, ignored))
    kernel.at("KernelFile").fail(fmt::format("there is no file {}", source.string()));
  draft.source = source.filename().string();
  const std::string text = read_user_file(source.string());
  try {
    (void)choose_kernel(source.string(), text, draft.entry, "KernelName");
  } catch (const model::Exception& error) {
    kernel.at("KernelName").fail(error.what());
  }
  UserHeaders found = user_headers(source, text);
  draft.files.push_back({draft.source, std::move(found.source)});
  for (auto& [name, header] : found.headers) draft.files.push_back({name, std::move(header)});
}

}  // namespace

Draft draft_of_t1(const ForeignJson& document, const std::string& file) {
  Draft draft;
  const ForeignJson kernel = document.at("KernelSpecification");
  if (kernel.at("Language").text() != "CUDA")
    kernel.at("Language").fail(fmt::format("'{}' is not CUDA", kernel.at("Language").text()));
  draft.entry = kernel.at("KernelName").text();
  draft.name = read_entry(draft.entry).name;
  std::replace(draft.name.begin(), draft.name.end(), ':', '_');
  draft.target = model::default_target;
  read_source(kernel, file, draft);
  for (const ForeignJson& parameter : document.at("ConfigurationSpace").at("TuningParameters").items())
    draft.genes.push_back(gene_of(parameter));
  const T1Sizes sizes = t1_sizes(kernel, draft.genes);
  if (document.at("ConfigurationSpace").has("Conditions")) {
    for (const ForeignJson& condition : document.at("ConfigurationSpace").at("Conditions").items())
      draft.constraints.push_back(in_our_words(condition.at("Expression"), sizes));
  }
  const std::vector<ForeignJson> arguments =
      kernel.has("Arguments") ? kernel.at("Arguments").items() : std::vector<ForeignJson>{};
  const std::int64_t size = usual_size(arguments, sizes);
  draft.axes.push_back({"n",
                        {size},
                        {{"allowed", fmt::format("[{}]", size)}},
                        false,
                        "the only size that the file knows",
                        ""});
  for (const ForeignJson& argument : arguments)
    draft.arguments.push_back(argument_of(argument, "n", size, sizes, draft.notes));
  read_sizes(kernel, sizes, draft);
  read_compiler_options(kernel, draft);
  if (kernel.has("ReferenceArguments"))
    draft.notes.push_back("ReferenceArguments are not carried: reference.cu is to say what is correct");
  choose_first_genome(draft);
  draft.stub = true;
  std::vector<ReferenceParameter> parameters;
  for (const DraftArgument& argument : draft.arguments)
    parameters.push_back({argument.name, argument.dtype, argument.role != "scalar"});
  const DraftArgument* output = largest_output(draft);
  const std::string elements = output == nullptr || output->shape[0] != "n"
                                   ? (output == nullptr ? "1" : output->shape[0])
                                   : std::to_string(size);
  draft.files.push_back(
      {"reference.cu", reference_stub(parameters, output == nullptr ? "" : output->name, elements)});
  return draft;
}

}  // namespace evo::intake
