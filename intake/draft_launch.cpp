// Arguments, launch, and the files.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/nearest.hpp"
#include "diagnose/tokens.hpp"
#include "intake/draft_maker.hpp"
#include "intake/extents.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/gene_names.hpp"
#include "intake/index_ranges.hpp"
#include "intake/launch_fit.hpp"
#include "intake/launch_guess.hpp"
#include "intake/reachable.hpp"
#include "intake/reference.hpp"
#include "intake/reference_launch.hpp"
#include "intake/types.hpp"
#include "model/experiment.hpp"
#include "model/expression.hpp"
#include "model/file_name.hpp"
#include "session/targets.hpp"

namespace evo::intake {

void DraftMaker::infer_arguments() {
  std::vector<KnownParameter> parameters;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) parameters.push_back(known(i));
  if (draft_.axes.empty()) {
    draft_.axes = axes_of(parameters);
    order_axes();
    if (run_) {
      std::string flags;
      for (const DraftAxis& axis : draft_.axes) flags += fmt::format(" --axis {}=SIZE", axis.name);
      open_.push_back(
          fmt::format("{}: how large is it?{}", at(kernel_.line), flags.empty() ? " --axis n=SIZE" : flags));
    }
    if (draft_.axes.empty())
      draft_.axes.push_back({"n", {65536}, {}, false, "", "which sizes does the kernel have?"});
  }
  const bool square = draft_.axes.size() == 1 && several_sides();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    DraftArgument argument = infer_argument(parameters[i], draft_.axes, i);
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
      argument.why = "the axis, for the reference";
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
}

void DraftMaker::ask_for_arguments() {
  for (std::size_t i = 0; i < draft_.arguments.size() && run_; ++i) {
    const DraftArgument& argument = draft_.arguments[i];
    if (!argument.todo.empty())
      open_.push_back(fmt::format("{}: --arg {}", at(kernel_.parameters[i].line), argument.todo));
  }
}

bool DraftMaker::told_shape(std::string_view name) const {
  return std::ranges::any_of(
      flags_, [&](const ArgumentFlag& flag) { return flag.name == name && !flag.shape.empty(); });
}

/// What the kernel reaches says how large its arrays are, where nobody has said it.
void DraftMaker::collect_numbers() {
  std::vector<std::string> texts{source_.substr(kernel_.begin, kernel_.end - kernel_.begin), reference_text_};
  draft_.numbers.clear();
  for (const std::string& text : texts) {
    for (const diagnose::Token& token : diagnose::tokens_of(text)) {
      const DefinedMacro* macro = macros_.find(token.text);
      const std::string& word = macro != nullptr ? macro->value : token.text;
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
      if (error != std::errc{} || rest.find_first_not_of("uUlL") != std::string_view::npos) continue;
      const bool large = number > 64 && number <= (1 << 16);
      if (large && std::ranges::find(draft_.numbers, number) == draft_.numbers.end())
        draft_.numbers.push_back(number);
    }
  }
  constexpr std::size_t most_numbers = 6;
  if (draft_.numbers.size() > most_numbers) draft_.numbers.resize(most_numbers);
}

bool DraftMaker::infer_shapes() {
  collect_numbers();
  std::vector<bool> asked;
  for (const DraftArgument& argument : draft_.arguments) {
    const bool told = told_shape(argument.name);
    const bool lettered = argument.why.find("the shape by") != std::string::npos;
    const bool fixed = symbols_.contains(argument.name);
    asked.push_back(!told && !lettered && !fixed && argument.role != "scalar");
  }
  // What is right says how large arrays are; the kernel, how large those are that it has for itself.
  std::vector<std::optional<FoundShape>> found(asked.size());
  if (reference_artifact_) found = find_shapes(draft_, *reference_artifact_, Probed::reference, asked);
  std::vector<bool> open = asked;
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = open[i] && !(found[i] && found[i]->exact);
  if (std::find(open.begin(), open.end(), true) != open.end()) {
    const auto reached = find_shapes(draft_, answer_.artifact, Probed::kernel, open);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!open[i] || !reached[i]) continue;
      // The kernel's launch is a guess by the shapes so far: of an output it may show no more than that.
      const bool further =
          found[i] && reference_artifact_ &&
          !stays_within(draft_, *reference_artifact_, Probed::reference, i, reached[i]->shape);
      if (!further) found[i] = reached[i];
    }
  }
  // An output whose last elements nobody writes, a stencil's border: as large as the input of that shape.
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || found[i]->exact) continue;
    const DraftArgument& argument = draft_.arguments[i];
    if (argument.role != "output" && argument.role != "inout") continue;
    for (std::size_t k = 0; k < found.size() && !found[i]->exact; ++k) {
      const bool alike = found[k] && found[k]->exact && draft_.arguments[k].role == "input" &&
                         draft_.arguments[k].dtype == argument.dtype && found[k]->shape == found[i]->shape;
      found[i]->exact = alike;
    }
  }
  bool output = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    DraftArgument& argument = draft_.arguments[i];
    if (!found[i]) continue;
    const std::string shape = fmt::format("{}", fmt::join(found[i]->shape, ", "));
    if (!found[i]->exact) {
      // What it reaches may hang on the data: told as a guess.
      const bool plain = shape.find_first_of("0123456789") == std::string::npos;
      if (plain && argument.todo.find(which_axes) != std::string::npos)
        argument.todo = fmt::format("'{}: [{}]': {}", argument.name, shape, which_axes);
      // What was assumed is too small for the reference: better asked than out of bounds later.
      if (argument.todo.empty() && reference_artifact_ &&
          !stays_within(draft_, *reference_artifact_, Probed::reference, i, argument.shape))
        argument.todo = fmt::format("'{}: [...]': the reference goes beyond [{}]; {}", argument.name,
                                    fmt::join(argument.shape, ", "), which_axes);
      continue;
    }
    if (argument.todo.find(which_axes) != std::string::npos) argument.todo.clear();
    if (shape == fmt::format("{}", fmt::join(argument.shape, ", "))) continue;
    argument.shape = found[i]->shape;
    // What was said of the old shape.
    argument.why = argument.why.substr(0, argument.why.find(", square:"));
    argument.why += ", as far as it goes";
    output = output || argument.role == "output" || argument.role == "inout";
  }
  return output;
}

void DraftMaker::order_axes() {
  std::stable_sort(draft_.axes.begin(), draft_.axes.end(), [&](const DraftAxis& a, const DraftAxis& b) {
    return !names_row_length(a.name) && names_row_length(b.name);
  });
}

void DraftMaker::infer_launch() {
  const std::string body =
      answer_.source.substr(std::min(kernel_.begin, answer_.source.size()), kernel_.end - kernel_.begin);
  Request request = request_;
  for (const auto& [old, name] : renamed_) {
    for (std::string* text : {&request.grid, &request.block, &request.dynamic_smem})
      *text = with_name(*text, old, name);
    for (std::string& constraint : draft_.constraints) constraint = with_name(constraint, old, name);
  }
  // In the text, a template's gene goes by its old name.
  std::string text = source_.substr(std::min(kernel_.begin, source_.size()), kernel_.end - kernel_.begin);
  for (const auto& [old, name] : renamed_) text = with_name(text, old, name);
  // template <int tile> called as k<{TILE}>: in the text, tile is that gene.
  const std::vector<std::string> instance_of = read_entry(draft_.entry).arguments;
  for (std::size_t i = 0; i < instance_of.size() && i < kernel_.templates.size(); ++i) {
    const std::string& argument = instance_of[i];
    if (argument.size() > 2 && argument.front() == '{')
      text = with_name(text, kernel_.templates[i].name, argument.substr(1, argument.size() - 2));
  }
  // A kernel that only calls a device function shows its launch there.
  if (!occurs(names_of(text), "blockIdx")) {
    text = source_;
    std::map<std::string, std::string> no_headers;
    (void)keep_reachable(text, no_headers, {kernel_.plain});
  }
  draft_.launch = guess_launch(draft_, request, kernel_, text, answer_.use);
  launch_request_ = request;
  launch_text_ = text;
  if (run_ && !draft_.launch.todo.empty())
    open_.push_back(fmt::format("{}: {}", at(kernel_.line), draft_.launch.todo));
  draft_.launch.static_smem = static_smem(text);
  check_constraints();
  limit_block(draft_);
  choose_first_genome(draft_);
  if (!request_.reference_block.empty())
    draft_.reference_block = read_expressions("--reference-block", request_.reference_block, axis_names());
  if (!request_.reference_grid.empty())
    draft_.reference_grid = read_expressions("--reference-grid", request_.reference_grid, axis_names());
  const bool open = draft_.reference_block.empty() && draft_.reference_grid.empty();
  if (open && !launch_reference_over_inputs() && !launch_reference_like_kernel() && reference_use_.y)
    cover_reference();
  if (!draft_.reference_grid.empty() && draft_.reference_block.empty()) draft_.reference_block = {"256"};
  if (draft_.reference_grid.empty() && !draft_.reference_block.empty())
    refuse(model::ExitCode::usage, "--reference-block needs --reference-grid");
}

void DraftMaker::fit_grid() {
  const bool open = std::any_of(draft_.arguments.begin(), draft_.arguments.end(),
                                [](const DraftArgument& a) { return a.role != "scalar" && !a.todo.empty(); });
  if (!request_.grid.empty() || open) return;
  const auto launch_for = [&](const std::vector<std::string>& shape) {
    Draft other = draft_;
    for (DraftArgument& argument : other.arguments) {
      const DraftArgument* output = largest_output(draft_);
      if (output != nullptr && argument.name == output->name) argument.shape = shape;
    }
    DraftLaunch launch = guess_launch(other, launch_request_, kernel_, launch_text_, answer_.use);
    launch.static_smem = draft_.launch.static_smem;
    return launch;
  };
  if (auto fitting = fit_launch(draft_, answer_.artifact, launch_for)) draft_.launch = std::move(*fitting);
}

void DraftMaker::fill_indices() {
  const bool open = std::ranges::any_of(
      draft_.arguments, [](const DraftArgument& a) { return a.role != "scalar" && !a.todo.empty(); });
  if (open || !known_dialect().fills || !draft_.launch.todo.empty()) return;
  const auto fills =
      find_index_fills(draft_, answer_.artifact, reference_artifact_ ? &*reference_artifact_ : nullptr);
  for (std::size_t i = 0; i < fills.size(); ++i) {
    if (!fills[i]) continue;
    draft_.arguments[i].keys.emplace_back("fill", *fills[i]);
    draft_.arguments[i].why += fmt::format(", holds {}: greater ones lead out of bounds", *fills[i]);
  }
}

void DraftMaker::keep_untouched() {
  if (!reference_artifact_ || !known_dialect().zeroed_outputs) return;
  const std::vector<bool> parts = find_untouched_parts(draft_, *reference_artifact_);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    DraftArgument& argument = draft_.arguments[i];
    const auto says = [&](const char* name) {
      return std::any_of(argument.keys.begin(), argument.keys.end(),
                         [&](const auto& key) { return key.first == name; });
    };
    if (!parts[i] || says("unwritten")) continue;
    if (argument.role == "output" && !says("before")) argument.keys.emplace_back("before", "zero");
    argument.keys.emplace_back("unwritten", "keep");
    argument.why += ", and leaves part of it as it is";
  }
}

bool DraftMaker::launch_reference_over_inputs() {
  const bool adds =
      std::ranges::any_of(reference_use_.pointers, [](const PointerUse& use) { return use.atomic; });
  if (!adds || reference_use_.y) return false;
  model::Environment sizes;
  for (const DraftAxis& axis : draft_.axes) sizes.insert_or_assign(axis.name, axis.values.front());
  const auto count = [&](const DraftArgument& argument) -> std::int64_t {
    const auto expression = model::Expression::parse(elements_of(argument));
    const auto value =
        expression ? expression->evaluate_integer(sizes) : tl::make_unexpected(expression.error());
    return value ? *value : 0;
  };
  const DraftArgument* largest = nullptr;
  std::int64_t most = 0;
  for (const DraftArgument& argument : draft_.arguments) {
    if (argument.role == "scalar" || argument.role == "workspace" || argument.shape.empty()) continue;
    if (count(argument) <= most) continue;
    most = count(argument);
    largest = &argument;
  }
  if (largest == nullptr || largest->role != "input") return false;
  draft_.reference_grid = {fmt::format("ceil_div({}, 256)", elements_of(*largest))};
  draft_.reference_block = {"256"};
  draft_.notes.push_back(
      fmt::format("the reference adds to outputs: it gets a thread for each element of {} "
                  "(--reference-grid, --reference-block)",
                  largest->name));
  return true;
}

bool DraftMaker::launch_reference_like_kernel() {
  const bool outputs_told = std::ranges::all_of(draft_.arguments, [&](const DraftArgument& argument) {
    return (argument.role != "output" && argument.role != "inout") || told_shape(argument.name);
  });
  if (!reference_artifact_ || (request_.grid.empty() && !(outputs_told && reference_use_.y))) return false;
  auto launch = launch_like_kernel(draft_, *reference_artifact_, reference_use_, reference_text_);
  if (!launch) return false;
  draft_.reference_grid = std::move(launch->grid);
  draft_.reference_block = std::move(launch->block);
  draft_.notes.push_back(
      fmt::format("the reference is launched as the kernel: grid {}, block {} (--reference-grid, "
                  "--reference-block)",
                  fmt::join(draft_.reference_grid, ", "), fmt::join(draft_.reference_block, ", ")));
  return true;
}

void DraftMaker::cover_reference() {
  const DraftArgument* output = largest_output(draft_);
  if (output == nullptr) return;
  std::string side = output->shape.front();
  for (std::size_t i = 1; i < output->shape.size(); ++i)
    side = fmt::format("max({}, {})", side, output->shape[i]);
  draft_.reference_grid = {fmt::format("ceil_div({}, 16)", side), fmt::format("ceil_div({}, 16)", side)};
  draft_.reference_block = {"16", "16"};
  draft_.notes.push_back(
      "the reference asks for y: it gets 16 x 16 threads a block, as many blocks a side as the longest of "
      "the output (--reference-grid, --reference-block)");
}

std::vector<std::string> DraftMaker::axis_names() const {
  std::vector<std::string> names;
  for (const DraftAxis& axis : draft_.axes) names.push_back(axis.name);
  return names;
}

std::string DraftMaker::static_smem(const std::string& text) {
  if (known_dialect().auto_smem) return "auto";
  const std::int64_t bytes = answer_.artifact.resources.static_smem_bytes;
  const std::string written = static_smem_of(text, draft_.genes);
  model::Environment environment;
  for (const DraftGene& each : draft_.genes) {
    std::int64_t number = 0;
    try {
      number = std::stoll(first_value(each));
    } catch (const std::exception&) {
      continue;
    }
    environment.emplace(each.name, number);
  }
  const auto expression = model::Expression::parse(written.empty() ? "0" : written);
  const auto value =
      expression ? expression->evaluate_integer(environment) : tl::make_unexpected(expression.error());
  if (value && *value == bytes) return bytes == 0 ? "" : written;
  if (bytes == 0) return "";
  draft_.notes.push_back(fmt::format(
      "static_smem is {} bytes for the first genome; for others it may have to be an expression", bytes));
  return std::to_string(bytes);
}

void DraftMaker::check_constraints() {
  std::vector<std::string> names{"smem_limit", "max_threads", "warp_size"};
  for (const DraftGene& each : draft_.genes) names.push_back(each.name);
  for (const DraftAxis& axis : draft_.axes) {
    if (axis.compile_time) names.push_back(axis.name);
  }
  for (const std::string& text : draft_.constraints) {
    const auto expression = model::Expression::parse(text);
    if (!expression)
      refuse(model::ExitCode::usage, fmt::format("--constraint '{}': {}", text, expression.error().message));
    for (const std::string& name : expression->names()) {
      if (!occurs(names, name))
        refuse(model::ExitCode::usage, fmt::format("--constraint '{}': unknown name '{}'{}", text, name,
                                                   config::suggestion(name, names)));
    }
  }
}

void DraftMaker::finish() {
  if (!open_.empty()) {
    std::string message = "to be told:";
    for (const std::string& line : open_) message += "\n  " + line;
    refuse(model::ExitCode::usage, message);
  }
  std::string name = kernel_.plain;
  draft_.name = name;
  draft_.files.push_back({draft_.source, answer_.source});
  for (const auto& [header, text] : answer_.headers) {
    draft_.files.push_back({header, text});
  }
  if (draft_.stub) {
    std::vector<ReferenceParameter> parameters;
    for (const DraftArgument& argument : draft_.arguments)
      parameters.push_back({argument.name, argument.dtype, argument.role != "scalar",
                            argument.role == "output" || argument.role == "inout"});
    const DraftArgument* output = largest_output(draft_);
    std::string elements = stub_elements(output);
    // A size that is no parameter: as many threads as elements, so that none has to ask.
    const bool known = std::ranges::all_of(draft_.axes, [&](const DraftAxis& axis) {
      return axis.compile_time || is_parameter(axis.name) || !occurs(names_of(elements), axis.name);
    });
    if (!known && output != nullptr && draft_.reference_grid.empty()) {
      draft_.reference_grid = {elements_of(*output)};
      draft_.reference_block = {"1"};
      elements.clear();
    }
    draft_.files.push_back(
        {"reference.cu", reference_stub(parameters, output == nullptr ? "" : output->name, elements)});
  }
}

std::string DraftMaker::stub_elements(const DraftArgument* output) const {
  std::string text = output == nullptr ? "n" : elements_of(*output);
  for (const DraftArgument& argument : draft_.arguments) {
    if (argument.role == "scalar" && argument.value != argument.name)
      text = with_name(text, argument.value, argument.name);
  }
  for (const DraftAxis& axis : draft_.axes) {
    if (axis.compile_time) text = with_name(text, axis.name, in_capitals(axis.name));
  }
  return text;
}

}  // namespace evo::intake
