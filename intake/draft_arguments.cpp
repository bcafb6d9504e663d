// Arguments, and what a run has to be told of them. Their shapes: draft_shapes.cpp.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/draft_maker.hpp"
#include "intake/extents.hpp"
#include "intake/gene_names.hpp"

namespace evo::intake {

void DraftMaker::infer_arguments() {
  std::vector<KnownParameter> parameters;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) parameters.push_back(known(i));
  bool sizeless = false;
  if (draft_.axes.empty()) {
    draft_.axes = axes_of(parameters);
    order_axes();
    sizeless = draft_.axes.empty();
    if (run_ && !sizeless) {
      std::string flags;
      for (const DraftAxis& axis : draft_.axes) flags += fmt::format(" --axis {}=SIZE", axis.name);
      open_.push_back(fmt::format("{}: how large is it?{}", at(kernel_.line), flags));
    }
    if (sizeless && run_) draft_.axes.push_back({"once", {1}, {{"max", "1"}}, false, "no size is told", ""});
    if (sizeless && !run_)
      draft_.axes.push_back({"n", {65536}, {}, false, "", "which sizes does the kernel have?"});
  }
  const bool square = draft_.axes.size() == 1 && (answer_.use.y || answer_.use.z);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    DraftArgument argument = infer_argument(parameters[i], draft_.axes, i);
    if (const auto fields = fields_.find(argument.name); fields != fields_.end()) {
      argument.fields = fields->second;
      argument.why += ", an array of structs";
    }
    if (const auto told = columns_.find(argument.name); told != columns_.end())
      argument.columns = told->second;
    if (const auto place = places_.find(argument.name); place != places_.end()) {
      argument.place = place->second;
      argument.why = place->second.path + (argument.why.empty() ? "" : ", ") + argument.why;
    }
    if (const auto objection = objections_.find(argument.name); objection != objections_.end())
      argument.todo = fmt::format(
          "'{}.MEMBER: ...': what are the members of '{}'? {}; problem.yaml can list them, {{name: {}, "
          "struct: [{{name: ..., role: ..., ...}}, ...]}} (examples/struct_by_value)",
          argument.name, parameters[i].text.type, objection->second, argument.name);
    if (const auto symbol = symbols_.find(argument.name); symbol != symbols_.end()) {
      argument.keys.emplace_back("symbol", symbol->second);
      argument.why = "__constant__, which the host fills";
      if (parameters[i].flag.shape.empty()) argument.shape = fixed_shapes_[argument.name];
      if (argument.todo.find(which_axes) != std::string::npos) argument.todo.clear();
    }
    if (occurs(reference_only_, argument.name)) {
      argument.reference_only = true;
      argument.why += ", for the reference";
      argument.keys.emplace_back("unused", "true");
    }
    const bool fixed = symbols_.contains(argument.name);
    if (square && !fixed && parameters[i].flag.shape.empty() && argument.shape.size() == 1) {
      argument.shape.push_back(draft_.axes[0].name);
      argument.why += ", square: the kernel asks for y";
    }
    if (argument.role == "inout" && !known_dialect().inout) {
      argument.todo = fmt::format("'{}': {}, which problem.yaml cannot say yet (role inout)", argument.name,
                                  argument.why);
      argument.role = "output";
    }
    draft_.arguments.push_back(std::move(argument));
  }
  for (const auto& [array, told] : columns_) {
    const bool known =
        std::ranges::find(draft_.arguments, array, &DraftArgument::name) != draft_.arguments.end();
    if (known) continue;
    const std::string own = array_of(array);
    refuse(
        model::ExitCode::usage,
        fmt::format("--arg '{0}[{1}]: ...': '{0}' is a struct, and of its array only what all of its numbers "
                    "hold can be told: '{2}: {{fill: {{integers: [0, N - 1]}}}}'",
                    array, told.front().column, own.empty() ? array : own));
  }
  if (sizeless && run_) ask_for_sizes();
}

/// Sizes that are all constants of the code, as template arguments are: then each array has a shape of
/// numbers, which whoever wrote the launch knows.
void DraftMaker::ask_for_sizes() {
  std::string flags;
  for (const DraftArgument& argument : draft_.arguments) {
    const bool known =
        argument.role == "scalar" || told_shape(argument.name) || symbols_.contains(argument.name);
    if (!known) flags += fmt::format(" --arg '{}: [...]'", argument.name);
  }
  if (flags.empty()) return;
  open_.push_back(
      fmt::format("{}: how large is it? --axis n=SIZE; where the code alone says how large all arrays are, "
                  "their shapes:{}",
                  at(kernel_.line), flags));
}

void DraftMaker::ask_for_arguments() {
  for (std::size_t i = 0; i < draft_.arguments.size() && run_; ++i) {
    const DraftArgument& argument = draft_.arguments[i];
    if (argument.todo.empty()) continue;
    std::string reach;
    if (argument.todo.find(which_axes) != std::string::npos && reference_artifact_)
      reach = reach_text(draft_, *reference_artifact_, Probed::reference, i);
    if (!reach.empty()) reach = fmt::format(" ({})", reach);
    open_.push_back(fmt::format("{}: --arg {}{}", at(kernel_.parameters[i].line), argument.todo, reach));
  }
  hint_at_fixed_sizes();
}

/// Where shapes are asked for, sizes that the file fixes by macros may be what is missing.
void DraftMaker::hint_at_fixed_sizes() {
  const bool shapes = std::ranges::any_of(
      open_, [](const std::string& line) { return line.find(which_axes) != std::string::npos; });
  if (!shapes) return;
  constexpr std::size_t most_named = 3;
  std::string launch;
  for (const auto& sides : {draft_.launch.grid, draft_.launch.block})
    launch += fmt::format("{} ", fmt::join(sides, " "));
  const std::vector<std::string> of_launch = names_of(launch);
  std::vector<std::string> flags;
  for (const std::string& name : names_of(source_.substr(kernel_.begin, kernel_.end - kernel_.begin))) {
    const DefinedMacro* macro = macros_.find(name);
    const auto is = [&](const auto& one) { return one.name == name; };
    if (macro == nullptr || std::ranges::any_of(draft_.axes, is) || std::ranges::any_of(draft_.genes, is))
      continue;
    // How a block is laid out is no size of the data.
    const bool lays_out = name.find("WARP") != std::string::npos || occurs(of_launch, name) ||
                          meaning_of(name) == GeneMeaning::threads;
    if (lays_out) continue;
    std::int64_t size = 0;
    const std::string& text = macro->value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error == std::errc{} && end == text.data() + text.size() && size > 1 && flags.size() < most_named)
      flags.push_back(fmt::format("--axis {}={}", name, size));
  }
  if (!flags.empty())
    open_.push_back(fmt::format("sizes that the file fixes by macros may be axes of their names: {}",
                                fmt::join(flags, " ")));
}

void DraftMaker::order_axes() {
  std::stable_sort(draft_.axes.begin(), draft_.axes.end(), [&](const DraftAxis& a, const DraftAxis& b) {
    return !names_row_length(a.name) && names_row_length(b.name);
  });
}

}  // namespace evo::intake
