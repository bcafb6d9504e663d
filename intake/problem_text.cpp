#include "intake/problem_text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/gene_names.hpp"
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

/// A scalar of a flow collection: quoted where YAML would read it as something else.
std::string plain(const std::string& text) {
  const bool special = text.empty() || text.find_first_of(",:{}[]#&*!|>'\"%@`?") != std::string::npos;
  if (!special) return text;
  // An expression with * or % in its middle is plain text; brackets and commas are not.
  const bool harmless = text.find_first_of(",:{}[]#'\"!?") == std::string::npos &&
                        std::string("&*|>%@`").find(text.front()) == std::string::npos;
  if (harmless) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "\"";
}

std::string list(const std::vector<std::string>& items) {
  std::vector<std::string> texts;
  for (const std::string& item : items) texts.push_back(plain(item));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::uint32_t member_bytes(const DraftArgument& member) {
  return member.role == "scalar" ? static_cast<std::uint32_t>(bytes_of(member.dtype)) : 8U;
}

/// The least power of two to which `end` is to be rounded up for `place`; 0: none.
std::uint32_t alignment_for(std::uint32_t end, std::uint32_t place) {
  for (std::uint32_t align = 1; align <= 128; align *= 2) {
    if (rounded_up(end, align) == place) return align;
  }
  return 0;
}

/// align: of members that C++ does not put at the next multiple of their size.
std::vector<DraftArgument> with_alignments(std::vector<DraftArgument> arguments) {
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    DraftArgument& member = arguments[i];
    const DraftPlace& place = member.place;
    if (place.structure.empty()) continue;
    if (i == 0 || arguments[i - 1].place.structure != place.structure) end = 0;
    const std::uint32_t bytes = member_bytes(member);
    if (rounded_up(end, bytes) != place.offset && member.role == "scalar") {
      const std::uint32_t align = alignment_for(end, place.offset);
      if (align > 0) member.keys.emplace_back("align", std::to_string(align));
    }
    end = place.offset + bytes;
  }
  return arguments;
}

/// "  - name: d" of the struct that begins with this member.
std::string struct_head(const std::vector<DraftArgument>& arguments, std::size_t first) {
  const DraftPlace& place = arguments[first].place;
  std::uint32_t end = 0, most = 1;
  for (std::size_t i = first; i < arguments.size() && arguments[i].place.structure == place.structure; ++i) {
    end = arguments[i].place.offset + member_bytes(arguments[i]);
    most = std::max(most, member_bytes(arguments[i]));
  }
  std::uint32_t align = place.alignment;
  if (align == 0 && rounded_up(end, most) != place.bytes) align = alignment_for(end, place.bytes);
  std::string text = fmt::format("  - name: {}\n", place.structure);
  if (align > most) text += fmt::format("    align: {}\n", align);
  return text + "    struct:";
}

/// An argument for each field of an array of structs: "points[].position".
std::vector<DraftArgument> by_fields(const DraftArgument& argument) {
  if (argument.fields.empty()) return {argument};
  std::vector<DraftArgument> members;
  for (const DraftField& field : argument.fields) {
    DraftArgument member = argument;
    member.fields.clear();
    member.name = fmt::format("{}[].{}", argument.name, field.name);
    member.dtype = field.dtype;
    member.shape.push_back(std::to_string(field.lanes));
    // The structs' own address is that of the first.
    if (!members.empty()) std::erase_if(member.keys, [](const auto& key) { return key.first == "align"; });
    if (field.alignment > 0) {
      std::erase_if(member.keys, [](const auto& key) { return key.first == "align"; });
      member.keys.emplace_back("align", std::to_string(field.alignment));
    }
    if (!ElementType{field.dtype}.floating())
      std::erase_if(member.keys, [](const auto& key) { return key.first == "reproducible"; });
    for (const auto& key : field.keys) {
      std::erase_if(member.keys, [&](const auto& whole) { return whole.first == key.first; });
      member.keys.push_back(key);
    }
    if (!members.empty()) member.why.clear();
    members.push_back(std::move(member));
  }
  return members;
}

std::string argument_line(const DraftArgument& argument) {
  std::string text =
      fmt::format("{}- {{name: {}, role: {}, dtype: {}", argument.place.structure.empty() ? "  " : "      ",
                  plain(argument.name), argument.role, argument.dtype);
  text += argument.role == "scalar" ? fmt::format(", value: {}", plain(argument.value))
                                    : fmt::format(", shape: {}", list(argument.shape));
  for (const auto& [key, value] : argument.keys) text += fmt::format(", {}: {}", key, value);
  return text + "}";
}

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
  out.line(fmt::format("work: {{flops: {}, bytes: {}}}", flops, bytes.empty() ? "1" : plain(bytes)), "",
           "flops are a guess: only reports show them");
}

std::string oracle_text(const Draft& draft) {
  if (!draft.oracle_command.empty())
    return fmt::format("oracle: {{command: {}}}", list(draft.oracle_command));
  std::string text = "oracle: {kernel: reference.cu";
  if (draft.reference_entry != "reference") text += fmt::format(", entry: {}", plain(draft.reference_entry));
  if (!draft.reference_grid.empty())
    text += fmt::format(", grid: {}, block: {}{}", list(draft.reference_grid), list(draft.reference_block),
                        draft.reference_guessed ? ", guessed: true" : "");
  return text + "}";
}

std::string entry_text(const std::string& entry) {
  return entry.find_first_of("{}<>,") == std::string::npos ? entry : "\"" + entry + "\"";
}

void write_template(const Draft& draft, Writer& out) {
  if (!draft.equal_writes.empty()) out.line("equal_writes: " + plain(draft.equal_writes));
  out.line("templates:");
  out.line("  tuned:");
  out.line(fmt::format("    source: {}", draft.source));
  out.line(fmt::format("    entry: {}", entry_text(draft.entry)));
  out.line(draft.genes.empty() ? "    genes: {}" : "    genes:", "",
           draft.genes.empty() ? "no choices found; one would be THREADS: {values: [64, 128, 256]}" : "");
  for (const DraftGene& gene : draft.genes) {
    std::string text = fmt::format("      {}: {{values: {}", gene.name, list(gene.values));
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
  if (!draft.options.empty()) out.line(fmt::format("    options: {}", list(draft.options)));
  if (!draft.constraints.empty()) out.line("    constraints:");
  for (const std::string& constraint : draft.constraints)
    out.line(fmt::format("      - {{require: {}, reason: as told}}", plain(constraint)));
  if (!draft.unreached.empty()) out.line("    unreached:");
  for (const auto& [place, why] : draft.unreached)
    out.line(fmt::format("      \"{}\": {}", place, plain(why)));
  std::string launch =
      fmt::format("    launch: {{grid: {}, block: {}", list(draft.launch.grid), list(draft.launch.block));
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
    launch += fmt::format(", args: {}", list(taken));
  }
  if (!draft.launch.dynamic_smem.empty())
    launch += fmt::format(", dynamic_smem: {}", plain(draft.launch.dynamic_smem));
  if (!draft.launch.static_smem.empty())
    launch += fmt::format(", static_smem: {}", plain(draft.launch.static_smem));
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
