#include "intake/problem_text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/argument_lines.hpp"
#include "intake/launch_guess.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

/// Lines of a file, and which of them ask for a decision.
class Writer {
 public:
  Writer(std::string file, std::vector<Todo>& todos) : file_(std::move(file)), todos_(todos) {}

  void line(const std::string& text, const std::string& todo = {}, const std::string& why = {}) {
    lines_ += 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    text_ += text;
    if (!todo.empty()) {
      text_ += "  # TODO: " + todo;
      todos_.push_back({file_, lines_, todo});
    } else if (!why.empty()) {
      text_ += "  # " + why;
    }
    text_ += '\n';
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string file_, text_;
  int lines_ = 0;
  std::vector<Todo>& todos_;
};

bool is_output(const DraftArgument& argument) {
  return argument.role == "output" || argument.role == "inout";
}

void write_tolerances(const Draft& draft, Writer& out) {
  if (known_dialect().auto_tolerance) {
    out.line("tolerance: auto");
    if (!draft.compute.empty())
      out.line(fmt::format("compute: {}  # as told: errors may be those of its roundings", draft.compute));
    return;
  }
  bool floating = false, narrow = false;
  for (const DraftArgument& argument : draft.arguments) {
    if (!is_output(argument)) continue;
    const ElementType type{argument.dtype};
    floating = floating || type.floating();
    narrow = narrow || (type.floating() && bytes_of(argument.dtype) <= 2);
  }
  if (!floating) return out.line("tolerances: [{class: exact, relative_frobenius: 0, max_abs_over_rms: 0}]");
  out.line(narrow ? "tolerances: [{class: half, relative_frobenius: 2.0e-3, max_abs_over_rms: 3.0e-2}]"
                  : "tolerances: [{class: fp32, relative_frobenius: 1.0e-5, max_abs_over_rms: 2.0e-4}]");
}

void write_inputs(const Draft& draft, Writer& out) {
  const bool whole = std::none_of(draft.arguments.begin(), draft.arguments.end(), [](const DraftArgument& a) {
    const bool field = std::ranges::any_of(
        a.fields, [](const DraftField& each) { return ElementType{each.dtype}.floating(); });
    return a.role != "scalar" && (field || ElementType{a.dtype}.floating());
  });
  out.line(whole ? "input_sets: [{name: normal, kind: normal, deviation: 50}]"
                 : "input_sets: [{name: normal, kind: normal}, {name: shifted, kind: normal, mean: 2}]");
}

/// Every array once; the operations are not known.
void write_work(const Draft& draft, Writer& out) {
  if (known_dialect().work_optional) return;
  std::string bytes, flops = "1";
  for (const DraftArgument& argument : draft.arguments) {
    if (argument.role == "scalar" || argument.role == "workspace") continue;
    bytes +=
        fmt::format("{}{} * {}", bytes.empty() ? "" : " + ",
                    bytes_of(argument.dtype) * (argument.role == "inout" ? 2 : 1), elements_of(argument));
  }
  std::vector<std::string> axes;
  for (const DraftAxis& axis : draft.axes) axes.push_back(axis.name);
  flops = fmt::format("{}", fmt::join(axes, " * "));
  out.line(fmt::format("work: {{flops: {}, bytes: {}}}", flops, bytes.empty() ? "1" : plain_yaml(bytes)), "",
           "flops are a guess: only reports show them");
}

std::string oracle_text(const Draft& draft) {
  if (!draft.oracle_command.empty())
    return fmt::format("oracle: {{command: {}}}", yaml_list(draft.oracle_command));
  std::string text = "oracle: {kernel: reference.cu";
  if (draft.reference_entry != "reference")
    text += fmt::format(", entry: {}", plain_yaml(draft.reference_entry));
  if (!draft.reference_grid.empty())
    text += fmt::format(", grid: {}, block: {}{}", yaml_list(draft.reference_grid),
                        yaml_list(draft.reference_block), draft.reference_guessed ? ", guessed: true" : "");
  return text + "}";
}

std::string entry_text(const std::string& entry) {
  return entry.find_first_of("{}<>,") == std::string::npos ? entry : "\"" + entry + "\"";
}

void write_template(const Draft& draft, Writer& out) {
  if (!draft.equal_writes.empty()) out.line("equal_writes: " + plain_yaml(draft.equal_writes));
  out.line("templates:");
  out.line("  tuned:");
  out.line(fmt::format("    source: {}", draft.source));
  out.line(fmt::format("    entry: {}", entry_text(draft.entry)));
  out.line(draft.genes.empty() ? "    genes: {}" : "    genes:", "",
           draft.genes.empty() ? "no choices found; one would be THREADS: {values: [64, 128, 256]}" : "");
  for (const DraftGene& gene : draft.genes) {
    std::string text = fmt::format("      {}: {{values: {}", gene.name, yaml_list(gene.values));
    if (!gene.initial.empty() && gene.initial != gene.values.front())
      text += fmt::format(", initial: {}", gene.initial);
    if (gene.from_template && known_dialect().gene_as) text += ", as: template";
    if (gene.text && !gene.from_template && known_dialect().gene_as) text += ", as: text";
    out.line(text + "}", gene.todo, gene.why == "as told" ? "" : gene.why);
  }
  if (!draft.defines.empty()) {
    std::string defines;
    for (const auto& [name, value] : draft.defines)
      defines += fmt::format("{}{}: {}", defines.empty() ? "" : ", ", name, value);
    out.line(fmt::format("    defines: {{{}}}", defines), "", "the kernel is there only with it");
  }
  if (!draft.options.empty()) out.line(fmt::format("    options: {}", yaml_list(draft.options)));
  if (!draft.constraints.empty()) out.line("    constraints:");
  for (const std::string& constraint : draft.constraints)
    out.line(fmt::format("      - {{require: {}, reason: as told}}", plain_yaml(constraint)));
  if (!draft.unreached.empty()) out.line("    unreached:");
  for (const auto& [place, why] : draft.unreached)
    out.line(fmt::format("      \"{}\": {}", place, plain_yaml(why)));
  std::string launch = fmt::format("    launch: {{grid: {}, block: {}", yaml_list(draft.launch.grid),
                                   yaml_list(draft.launch.block));
  const bool some = std::any_of(draft.arguments.begin(), draft.arguments.end(),
                                [](const DraftArgument& argument) { return argument.reference_only; });
  if (some) {
    std::vector<std::string> taken;
    for (const DraftArgument& argument : draft.arguments) {
      const bool symbol = std::any_of(argument.keys.begin(), argument.keys.end(),
                                      [](const auto& key) { return key.first == "symbol"; });
      const std::string& structure = argument.place.structure;
      if (!structure.empty() && !taken.empty() && taken.back() == structure) continue;
      const std::string name = by_fields(argument).front().name;
      if (!argument.reference_only && !symbol) taken.push_back(structure.empty() ? name : structure);
    }
    launch += fmt::format(", args: {}", yaml_list(taken));
  }
  if (!draft.launch.dynamic_smem.empty())
    launch += fmt::format(", dynamic_smem: {}", plain_yaml(draft.launch.dynamic_smem));
  if (!draft.launch.static_smem.empty())
    launch += fmt::format(", static_smem: {}", plain_yaml(draft.launch.static_smem));
  out.line(launch + "}", draft.launch.todo, draft.launch.why);
}

/// Odd and held-out shapes are drawn up to the greatest size: large ones cost a reference much.
std::int64_t usual_greatest(const DraftAxis& axis, std::size_t axes) {
  const std::int64_t least = axis.compile_time ? 1 : axes == 1 ? 4096 : 64;
  return std::max(least, 2 * *std::max_element(axis.values.begin(), axis.values.end()));
}

/// "f32", or "{f32 position[3], u8 colour[4]}".
std::string elements_text(const DraftArgument& argument) {
  if (argument.fields.empty()) return argument.dtype;
  std::string text;
  for (const DraftField& field : argument.fields)
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", field.dtype, field.name,
                        field.lanes > 1 ? fmt::format("[{}]", field.lanes) : std::string());
  return "{" + text + "}";
}

}  // namespace

std::int64_t greatest_size(const DraftAxis& axis, std::size_t axes) {
  for (const auto& [key, value] : axis.keys) {
    std::int64_t size = 0;
    if (key == "max" && std::from_chars(value.data(), value.data() + value.size(), size).ec == std::errc{})
      return size;
  }
  return usual_greatest(axis, axes);
}

ProblemText problem_text(const Draft& draft) {
  ProblemText text;
  Writer out("problem.yaml", text.todos);
  out.line("# Written by evo from a kernel's source; every line is yours to change.");
  out.line(fmt::format("name: {}", draft.name));
  out.line("axes:");
  for (const DraftAxis& axis : draft.axes) {
    std::string keys = fmt::format("min: 1, max: {}", usual_greatest(axis, draft.axes.size()));
    for (const auto& [key, value] : axis.keys) {
      if (key == "min")
        keys = fmt::format("min: {}", value) + keys.substr(keys.find(','));
      else if (key == "max")
        keys = keys.substr(0, keys.find("max:")) + fmt::format("max: {}", value);
    }
    for (const auto& [key, value] : axis.keys) {
      if (key != "min" && key != "max") keys += fmt::format(", {}: {}", key, value);
    }
    for (const auto& [key, value] : axis.keys) {
      if (key == "allowed") keys = fmt::format("allowed: {}", value);  // bounds would say it twice
    }
    if (axis.compile_time) keys += ", compile_time: true";
    out.line(fmt::format("  {}: {{{}, initial: {}}}", axis.name, keys, axis.values.front()), axis.todo,
             axis.why == "as told" ? "" : axis.why);
  }
  out.line(draft.arguments.empty() ? "args: []" : "args:");
  const std::vector<DraftArgument> arguments = with_alignments(draft.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& structure = arguments[i].place.structure;
    if (!structure.empty() && (i == 0 || arguments[i - 1].place.structure != structure))
      out.line(struct_head(arguments, i));
    for (const DraftArgument& each : by_fields(arguments[i]))
      out.line(argument_line(each), each.todo, each.why);
  }
  out.line(oracle_text(draft));
  write_inputs(draft, out);
  write_tolerances(draft, out);
  write_work(draft, out);
  write_template(draft, out);
  text.problem = out.text();

  Writer run("experiment.yaml", text.todos);
  run.line(fmt::format("name: {}", draft.name));
  run.line("problem: .");
  run.line("workloads:");
  std::size_t count = 1;
  for (const DraftAxis& axis : draft.axes) count = std::max(count, axis.values.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::string sizes;
    for (const DraftAxis& axis : draft.axes)
      sizes += fmt::format(", {}: {}", axis.name, axis.values[std::min(i, axis.values.size() - 1)]);
    run.line(fmt::format("  - {{name: w{}{}}}", i, sizes));
  }
  run.line(fmt::format("target: {}", draft.target));
  run.line(fmt::format("device: {}", draft.device.empty() ? "auto" : draft.device));
  run.line("search: {population: 8, generations: 8, window: 4}");
  if (draft.trials > 0) run.line(fmt::format("budget: {{trials: {}}}", draft.trials));
  text.experiment = run.text();
  for (const DraftFile& file : draft.files) {
    const std::size_t at = file.text.find("// TODO");
    const bool ours = (draft.stub && file.name == "reference.cu") ||
                      (!draft.oracle_command.empty() && file.name == draft.source);
    if (!ours || at == std::string::npos) continue;
    const auto lines =
        std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    text.todos.push_back({file.name, 1 + static_cast<int>(lines),
                          file.name == "reference.cu" ? "what the kernel must compute" : "the kernel"});
  }
  return text;
}

std::vector<std::string> inferred_lines(const Draft& draft) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& what, const std::string& is, const std::string& why) {
    lines.push_back(fmt::format("  {:<12} {}{}", what, is, why.empty() ? "" : fmt::format("   ({})", why)));
  };
  add("kernel", draft.entry, "");
  for (const DraftAxis& axis : draft.axes)
    add(axis.name, fmt::format("axis, {}", fmt::join(axis.values, " and ")), axis.why);
  for (const DraftArgument& a : draft.arguments)
    add(a.name,
        a.role == "scalar" ? fmt::format("{} = {}", a.dtype, a.value)
                           : fmt::format("{} {}[{}]", a.role, elements_text(a), fmt::join(a.shape, ", ")),
        a.why);
  for (const DraftGene& gene : draft.genes)
    add(gene.name, fmt::format("gene, {}", fmt::join(gene.values, ", ")), gene.why);
  add("grid", fmt::format("{}", fmt::join(draft.launch.grid, ", ")), draft.launch.why);
  add("block", fmt::format("{}", fmt::join(draft.launch.block, ", ")), "");
  return lines;
}

}  // namespace evo::intake
