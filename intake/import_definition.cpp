// FlashInfer-Bench definitions: sizes, arrays and a reference in Python; no kernel.
#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/nearest.hpp"
#include "intake/files.hpp"
#include "intake/foreign_json.hpp"
#include "intake/launch_guess.hpp"
#include "intake/request.hpp"
#include "intake/types.hpp"
#include "model/target.hpp"

namespace evo::intake {
namespace {

std::string dtype_named(const ForeignJson& type) {
  static const std::map<std::string, std::string, std::less<>> types{{"float32", "f32"},
                                                                     {"float64", "f64"},
                                                                     {"float16", "f16"},
                                                                     {"bfloat16", "bf16"},
                                                                     {"int8", "i8"},
                                                                     {"uint8", "u8"},
                                                                     {"int16", "i16"},
                                                                     {"int32", "i32"},
                                                                     {"int64", "i64"},
                                                                     {"bool", "bool"},
                                                                     {"float8_e4m3fn", "f8e4m3"},
                                                                     {"float8_e5m2", "f8e5m2"}};
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

DraftArgument argument_named(const std::string& name, const ForeignJson& text, const char* role) {
  DraftArgument argument;
  argument.name = name;
  argument.role = role;
  argument.dtype = dtype_named(text.at("dtype"));
  if (text.has("shape") && !text.at("shape").is_null()) {
    for (const ForeignJson& size : text.at("shape").items()) argument.shape.push_back(size.text());
  }
  if (!argument.shape.empty()) return argument;
  argument.role = "scalar";
  argument.value = argument.dtype[0] == 'f' || argument.dtype == "bf16" ? "1.5" : "1";
  argument.todo = "the value of this scalar; workloads may give it";
  return argument;
}

/// Sizes of each workload of a file with a document a line.
void read_workloads(const std::string& file, std::vector<DraftAxis>& axes) {
  std::map<std::string, std::vector<std::int64_t>, std::less<>> values;
  std::istringstream lines(read_user_file(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const boost::json::value value = ForeignJson::parse(where, line);
    const ForeignJson document(value, where);
    const ForeignJson workload = document.has("workload") ? document.at("workload") : document;
    for (DraftAxis& axis : axes) {
      if (axis.compile_time) continue;
      values[axis.name].push_back(workload.at("axes").at(axis.name).integer());
    }
  }
  for (DraftAxis& axis : axes) {
    if (values.contains(axis.name) && !axis.compile_time) axis.values = values[axis.name];
  }
}

/// What turns the definition's run() into a program: arrays in and out as .npy.
std::string program(const std::string& reference, const ForeignJson& document) {
  std::string inputs, outputs;
  for (const std::string& name : document.at("inputs").keys())
    inputs += fmt::format("{}(\"{}\", \"{}\")", inputs.empty() ? "" : ", ", name,
                          document.at("inputs").at(name).at("dtype").text());
  for (const std::string& name : document.at("outputs").keys())
    outputs += fmt::format("{}\"{}\"", outputs.empty() ? "" : ", ", name);
  return fmt::format(
      "{}\n\n# -- Added by evo: INPUTS/NAME.npy in, OUTPUTS/NAME.npy out.\n"
      "if __name__ == \"__main__\":\n    import sys\n    import numpy\n    import torch\n"
      "    source, target = sys.argv[-2:]\n    given = []\n    for name, dtype in [{}]:\n"
      "        array = torch.from_numpy(numpy.load(f\"{{source}}/{{name}}.npy\")).to(getattr(torch, dtype))\n"
      "        given.append(array if array.ndim else array.item())\n    result = run(*given)\n"
      "    names = [{}]\n    if isinstance(result, dict):\n        result = [result[name] for name in "
      "names]\n"
      "    elif not isinstance(result, (tuple, list)):\n        result = [result]\n"
      "    for name, array in zip(names, result):\n        numpy.save(f\"{{target}}/{{name}}.npy\", "
      "array.to(torch.float64).numpy())\n",
      reference, inputs, outputs);
}

}  // namespace

Draft draft_of_definition(const ForeignJson& document, const std::string& file,
                          const std::string& workloads) {
  (void)file;
  Draft draft;
  draft.name = document.at("name").text();
  draft.target = model::default_target;
  for (const std::string& name : document.at("axes").keys()) {
    const ForeignJson axis = document.at("axes").at(name);
    DraftAxis result{name, {256}, {}, false, "", ""};
    if (axis.at("type").text() == "const") {
      result.values = {axis.at("value").integer()};
      result.keys.emplace_back("allowed", fmt::format("[{}]", result.values[0]));
      result.compile_time = true;
    }
    draft.axes.push_back(std::move(result));
  }
  if (!workloads.empty()) read_workloads(workloads, draft.axes);
  for (const std::string& name : document.at("inputs").keys())
    draft.arguments.push_back(argument_named(name, document.at("inputs").at(name), "input"));
  for (const std::string& name : document.at("outputs").keys())
    draft.arguments.push_back(argument_named(name, document.at("outputs").at(name), "output"));
  for (const DraftAxis& axis : draft.axes) {
    if (!axis.compile_time)
      draft.arguments.push_back(
          {axis.name, "scalar", "i32", axis.name, {}, {}, "an axis that is no constant", ""});
  }
  draft.oracle_command = {"python3", "reference.py"};
  draft.files.push_back({"reference.py", program(document.at("reference").text(), document)});
  draft.source = "kernel.cu";
  draft.entry = "kernel";
  std::string list;
  for (const DraftArgument& argument : draft.arguments) {
    static const std::map<std::string, std::string, std::less<>> types{
        {"f16", "__half"}, {"bf16", "__nv_bfloat16"}, {"f32", "float"}, {"f64", "double"}};
    const auto type = types.find(argument.dtype);
    list += fmt::format("{}{}{}{} {}", list.empty() ? "" : ",\n                       ",
                        argument.role == "input" ? "const " : "",
                        type == types.end() ? reference_type(argument.dtype) : type->second,
                        argument.role == "scalar" ? "" : "*", argument.name);
  }
  draft.files.push_back(
      {"kernel.cu", fmt::format("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n\n// TODO: the kernel. "
                                "Constant axes are macros.\n__global__ void kernel({}) {{\n}}\n",
                                list)});
  draft.genes.push_back({"THREADS", {"64", "128", "256", "512"}, "", false, "of the launch alone", ""});
  const DraftArgument* output = largest_output(draft);
  draft.launch.grid = {fmt::format("ceil_div({}, THREADS)", output == nullptr ? "1" : elements_of(*output))};
  draft.launch.block = {"THREADS"};
  draft.launch.todo = "the launch of your kernel";
  if (known_dialect().auto_smem) draft.launch.static_smem = "auto";
  if (!known_dialect().command_oracle)
    draft.notes.push_back("oracle: {command: ...} is not read by this version of evo");
  return draft;
}

}  // namespace evo::intake
