// T1 files of Kernel Tuner and KTT. They speak of one size: axes have no other.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/foreign_json.hpp"
#include "intake/launch_guess.hpp"
#include "intake/reference.hpp"
#include "intake/request.hpp"
#include "intake/signature.hpp"
#include "model/error.hpp"
#include "model/expression.hpp"
#include "model/target.hpp"

namespace evo::intake {
namespace {

/// Python's // is / of our expressions, which are integers.
std::string in_our_words(const ForeignJson& where) {
  std::string text = where.text();
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) text.erase(at, 1);
  const auto expression = model::Expression::parse(text);
  if (!expression)
    where.fail(
        fmt::format("'{}' is no expression that evo reads: {}", where.text(), expression.error().message));
  return text;
}

DraftGene gene_of(const ForeignJson& parameter) {
  DraftGene gene{parameter.at("Name").text(), {}, "", false, "", ""};
  const ForeignJson values = parameter.at("Values");
  const std::string text = values.text();
  try {
    const YAML::Node node = YAML::Load(text);
    if (!node.IsSequence()) values.fail(fmt::format("'{}' is no list of values", text));
    for (const YAML::Node& value : node) {
      std::string word = value.as<std::string>();
      if (word == "True" || word == "False") word = word == "True" ? "1" : "0";
      gene.values.push_back(word);
    }
  } catch (const YAML::Exception& error) {
    values.fail(fmt::format("'{}' is no list of values: {}", text, error.msg));
  }
  if (gene.values.empty()) values.fail("a parameter needs at least one value");
  for (const std::string& value : gene.values) {
    if (value.find_first_of(" ()") != std::string::npos)
      values.fail(fmt::format("'{}' is a program; evo takes a list of values", text));
  }
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
  if (found == types.end() || std::find(known.begin(), known.end(), found->second) == known.end())
    type.fail(fmt::format("evo has no element type for '{}'", type.text()));
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

DraftArgument argument_of(const ForeignJson& argument, const std::string& axis, std::int64_t size,
                          std::vector<std::string>& notes) {
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
  if (memory != "Vector")
    argument.at("MemoryType")
        .fail(fmt::format("evo cannot import '{}' memory: add it to problem.yaml by hand", memory));
  const std::string access = argument.optional_text("AccessType");
  result.role = access == "ReadOnly" ? "input" : access == "ReadWrite" ? "inout" : "output";
  if (result.role == "inout" && !known_dialect().inout)
    argument.at("AccessType").fail("ReadWrite is role inout, which problem.yaml cannot say yet");
  const std::int64_t elements =
      argument.at("Size").integer() * (argument.at("Type").text() == "float4"   ? 4
                                       : argument.at("Type").text() == "float2" ? 2
                                                                                : 1);
  result.shape = {elements == size ? axis : std::to_string(elements)};
  read_fill(argument, result, notes);
  return result;
}

/// The size that most arrays have.
std::int64_t usual_size(const std::vector<ForeignJson>& arguments) {
  std::map<std::int64_t, int> counts;
  for (const ForeignJson& argument : arguments) {
    if (argument.has("Size")) ++counts[argument.at("Size").integer()];
  }
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? 1 : most->first;
}

void read_sizes(const ForeignJson& kernel, Draft& draft) {
  const bool threads = kernel.optional_text("GlobalSizeType") == "OpenCL" ||
                       kernel.optional_text("GlobalSizeType") == "Vulkan";
  for (const char* side : {"X", "Y", "Z"}) {
    if (kernel.at("LocalSize").has(side))
      draft.launch.block.push_back(in_our_words(kernel.at("LocalSize").at(side)));
    if (!kernel.at("GlobalSize").has(side)) continue;
    std::string global = in_our_words(kernel.at("GlobalSize").at(side));
    if (threads && draft.launch.block.size() > draft.launch.grid.size())
      global = fmt::format("ceil_div({}, {})", global, draft.launch.block.back());
    draft.launch.grid.push_back(global);
  }
  const std::string shared = kernel.optional_text("SharedMemory");
  if (!shared.empty() && shared != "0") draft.launch.dynamic_smem = shared;
  if (known_dialect().auto_smem) draft.launch.static_smem = "auto";
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
  const auto source = std::filesystem::path(file).parent_path() / kernel.at("KernelFile").text();
  std::error_code ignored;
  if (!std::filesystem::exists(source, ignored))
    kernel.at("KernelFile").fail(fmt::format("there is no file {}", source.string()));
  draft.source = source.filename().string();
  draft.files.push_back({draft.source, read_user_file(source.string())});
  (void)choose_kernel(source.string(), draft.files.back().text, draft.entry, "KernelName");
  for (const ForeignJson& parameter : document.at("ConfigurationSpace").at("TuningParameters").items())
    draft.genes.push_back(gene_of(parameter));
  if (document.at("ConfigurationSpace").has("Conditions")) {
    for (const ForeignJson& condition : document.at("ConfigurationSpace").at("Conditions").items())
      draft.constraints.push_back(in_our_words(condition.at("Expression")));
  }
  const std::vector<ForeignJson> arguments =
      kernel.has("Arguments") ? kernel.at("Arguments").items() : std::vector<ForeignJson>{};
  const std::int64_t size = usual_size(arguments);
  draft.axes.push_back({"n",
                        {size},
                        {{"allowed", fmt::format("[{}]", size)}},
                        false,
                        "the only size that the file knows",
                        ""});
  for (const ForeignJson& argument : arguments)
    draft.arguments.push_back(argument_of(argument, "n", size, draft.notes));
  read_sizes(kernel, draft);
  if (kernel.has("CompilerOptions") && !kernel.at("CompilerOptions").items().empty()) {
    std::string options;
    for (const ForeignJson& option : kernel.at("CompilerOptions").items())
      options += (options.empty() ? "" : ", ") + option.text();
    draft.notes.push_back(fmt::format("compiler options are left to you: {}", options));
  }
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
