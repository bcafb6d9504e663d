// The launch, and the files.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/nearest.hpp"
#include "intake/draft_maker.hpp"
#include "intake/extents.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/gene_names.hpp"
#include "intake/index_columns.hpp"
#include "intake/index_ranges.hpp"
#include "intake/launch_fit.hpp"
#include "intake/launch_guess.hpp"
#include "intake/launch_text.hpp"
#include "intake/macro_kernels.hpp"
#include "intake/partial_results.hpp"
#include "intake/reachable.hpp"
#include "intake/reference.hpp"
#include "intake/rewritten.hpp"
#include "intake/told_scalars.hpp"
#include "intake/types.hpp"
#include "intake/untouched_parts.hpp"
#include "model/experiment.hpp"
#include "model/expression.hpp"
#include "model/file_name.hpp"
#include "session/targets.hpp"

namespace evo::intake {

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
  // A loop over the grid may be a macro: CUDA_KERNEL_LOOP(i, n).
  std::vector<std::string> definitions{source_};
  for (const auto& [header, content] : answer_.headers) definitions.push_back(content);
  text = with_macros_saying("blockIdx", text, definitions);
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
    draft_.reference_block = read_expressions(
        "--reference-block", with_told_sizes(draft_, "--reference-block", request_.reference_block),
        axis_names());
  if (!request_.reference_grid.empty())
    draft_.reference_grid =
        read_expressions("--reference-grid",
                         with_told_sizes(draft_, "--reference-grid", request_.reference_grid), axis_names());
  like_kernel_.clear();
  draft_.reference_guessed = false;
  const bool open = draft_.reference_block.empty() && draft_.reference_grid.empty();
  if (open && !launch_reference_alone() && !launch_reference_over_inputs() &&
      !launch_reference_like_kernel() && reference_use_.y)
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

void DraftMaker::reduce_parts() {
  const bool open = std::ranges::any_of(
      draft_.arguments, [](const DraftArgument& a) { return a.role != "scalar" && !a.todo.empty(); });
  if (open || !reference_artifact_ || !draft_.launch.todo.empty()) return;
  for (const PartialResult& part : find_partial_results(draft_, answer_.artifact, *reference_artifact_)) {
    DraftArgument& argument = draft_.arguments[part.argument];
    if (told_shape(argument.name)) continue;
    if (argument.shape == std::vector<std::string>{"1"}) argument.shape.clear();
    argument.shape.insert(argument.shape.begin(), part.parts);
    argument.keys.emplace_back("reduce", part.reduce);
    draft_.notes.push_back(
        fmt::format("{} is taken for one part a block, {} elements in your program, too: where it has fewer "
                    "there, the kernel writes past its end; --arg '{}: SHAPE' says how many",
                    argument.name, part.parts, argument.name));
    argument.why += fmt::format(", each block writes a part of it: the {} of all is compared", part.reduce);
  }
}

void DraftMaker::draw_integers() {
  const bool open = std::ranges::any_of(
      draft_.arguments, [](const DraftArgument& a) { return a.role != "scalar" && !a.todo.empty(); });
  if (open || !reference_artifact_ || !draft_.launch.todo.empty()) return;
  // Each its own: of the words of a key, all of which are 3, a kernel might take any for any other.
  constexpr std::array<int, 18> own{3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < draft_.arguments.size(); ++i) {
    const DraftArgument& argument = draft_.arguments[i];
    const bool asked = argument.todo.find("what is its value?") != std::string::npos;
    if (argument.role != "scalar" || !asked || !known(i).reference_takes) continue;
    const bool choice = argument.dtype == "bool" || known(i).text.type == "bool";
    const std::string first = std::to_string(own[drawn % own.size()]);
    const std::vector<std::string> values =
        choice ? std::vector<std::string>{"1"} : std::vector<std::string>{first, "1", "0", "100003"};
    // A bool is none. As a size, a count or a distance of rows, one of these leaves an array or stops short
    // of its end.
    Draft other = draft_;
    const bool data = choice || std::ranges::all_of(values, [&](const std::string& value) {
                        other.arguments[i].value = value;
                        if (value != first && argument.dtype.ends_with("8")) return true;
                        return reaches_all(other, answer_.artifact);
                      });
    if (!data) continue;
    draft_.arguments[i].value = values.front();
    if (!choice) ++drawn;
    draft_.arguments[i].why = "drawn: no array's size depends on it";
    draft_.arguments[i].todo.clear();
  }
}

void DraftMaker::fill_indices() {
  // 'fill: permutation' alone is of a row's elements, 'fill: sorted' of numbers like those without a fill.
  for (DraftArgument& argument : draft_.arguments) {
    for (auto& [key, value] : argument.keys) {
      if (key != "fill") continue;
      if (value == "permutation" && argument.todo.empty() && !argument.shape.empty())
        value = fmt::format("{{permutation: {}}}", argument.shape.back());
      const bool floats = ElementType{argument.dtype}.floating(), below = argument.dtype.starts_with("i");
      if (value == "sorted")
        value = floats ? "{sorted: [-4, 4]}" : below ? "{sorted: [-100, 100]}" : "{sorted: [0, 200]}";
    }
  }
  const bool open = std::ranges::any_of(
      draft_.arguments, [](const DraftArgument& a) { return a.role != "scalar" && !a.todo.empty(); });
  if (open || !known_dialect().fills || !draft_.launch.todo.empty()) return;
  const IndexFills found =
      find_index_fills(draft_, answer_.artifact, reference_artifact_ ? &*reference_artifact_ : nullptr);
  for (std::size_t i = 0; i < found.fills.size(); ++i) {
    DraftArgument& argument = draft_.arguments[i];
    if (!found.columns[i].empty()) {
      argument.columns = found.columns[i];
      for (std::string& note : column_notes(argument)) draft_.notes.push_back(std::move(note));
    }
    if (!found.fills[i]) continue;
    argument.keys.emplace_back("fill", *found.fills[i]);
    if (std::ranges::find(found.of_kernel, i) != found.of_kernel.end()) {
      draft_.notes.push_back(fmt::format(
          "{0} holds {1}: greater ones lead the kernel out of bounds, and not the reference. What is proven "
          "holds for these alone; where the kernel is to take others, it is wrong: --arg '{0}: {{fill: "
          "{2}}}' "
          "asks for them",
          argument.place.path.empty() ? argument.name : argument.place.path, *found.fills[i], no_sign_fill));
    }
    const bool no_sign = *found.fills[i] == no_sign_fill;
    argument.why += fmt::format(", holds {}: {} lead out of bounds", *found.fills[i],
                                no_sign ? "numbers below 0" : "greater ones");
  }
}

void DraftMaker::see_rewritten() {
  if (!reference_artifact_ || !open_.empty()) return;
  const std::vector<bool> rewritten = find_rewritten(draft_, *reference_artifact_);
  for (std::size_t i = 0; i < rewritten.size(); ++i) {
    DraftArgument& argument = draft_.arguments[i];
    const auto place = places_.find(argument.name);
    const bool told = std::ranges::any_of(flags_, [&](const ArgumentFlag& flag) {
      const bool member = place != places_.end() && flag.name == place->second.path;
      return (flag.name == argument.name || member) && !flag.role.empty();
    });
    if (!rewritten[i] || told) continue;
    argument.role = "output";
    argument.why += ", but nothing of what it held before, so it is written alone";
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
    // With reduce: what is compared is less than the array, and the reference writes that.
    if (!parts[i] || says("unwritten") || says("reduce")) continue;
    if (argument.role == "output" && !says("before")) argument.keys.emplace_back("before", "zero");
    argument.keys.emplace_back("unwritten", "keep");
    draft_.reference_guessed = !draft_.reference_grid.empty();
    argument.why += ", and leaves part of it as it is";
  }
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
  for (DraftArgument& argument : draft_.arguments) split_columns(argument);
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
