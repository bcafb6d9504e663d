// Shapes: how large the kernel and its reference show arrays to be.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/tokens.hpp"
#include "intake/arguments.hpp"
#include "intake/contents_shapes.hpp"
#include "intake/draft_maker.hpp"
#include "intake/extents.hpp"
#include "intake/indexed_shapes.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {

bool DraftMaker::told_shape(std::string_view name) const {
  const auto place = places_.find(std::string(name));
  return std::ranges::any_of(flags_, [&](const ArgumentFlag& flag) {
    const bool member =
        place != places_.end() && (flag.name == place->second.path || array_of(flag.name) == name);
    return (flag.name == name || member) && !flag.shape.empty();
  });
}

/// What the kernel reaches says how large its arrays are, where nobody has said it.
void DraftMaker::collect_numbers() {
  std::vector<std::string> texts{source_.substr(kernel_.begin, kernel_.end - kernel_.begin), reference_text_};
  draft_.numbers.clear();
  for (const std::string& text : texts) {
    for (const diagnose::Token& token : diagnose::tokens_of(text)) {
      const DefinedMacro* macro = macros_.find(token.text);
      // What has become a size or a choice is that number no more.
      const bool open =
          gene(token.text) != nullptr || std::ranges::any_of(draft_.axes, [&](const DraftAxis& axis) {
            return axis.compile_time && in_capitals(axis.name) == token.text;
          });
      if (open) continue;
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

void DraftMaker::see_cost_of_looks() {
  if (!reference_artifact_ || draft_.axes.size() < 3) return;
  ProbeRun run(draft_, *reference_artifact_, Probed::reference, scales_of(draft_, Probed::reference).front());
  if (!run.ready()) return;
  const std::vector<ShapeCandidate> all = size_candidates(draft_, run);
  if (reference_use_.alone) {
    run.set_launch({1, 1, 1}, {1, 1, 1});
  } else if (!launch_reference(draft_, run, all.back().elements)) {
    return;
  }
  const std::vector<std::int64_t> room(draft_.arguments.size(), room_for(all));
  // One that is over, but so late that the looks at all arrays would never be, costs as much.
  constexpr std::uint64_t fewest_looks = 40;
  for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
    const std::uint64_t before = run.spent();
    draft_.costly = draft_.costly || (!run.fits(room, fill) && run.ran_out()) ||
                    run.spent() - before > most_of_shape_looks / fewest_looks;
  }
}

/// An output whose last elements nobody writes, a stencil's border: as large as the input of that shape.
void DraftMaker::bordered_as_inputs(std::vector<std::optional<FoundShape>>& found) const {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || found[i]->exact) continue;
    const DraftArgument& argument = draft_.arguments[i];
    if (argument.role != "output" && argument.role != "inout") continue;
    for (std::size_t k = 0; k < found.size() && !found[i]->exact; ++k) {
      // Of two sides or more it may be of another type: bits of a pixel's neighbours.
      const bool akin = draft_.arguments[k].dtype == argument.dtype || found[i]->shape.size() > 1;
      const bool alike = found[k] && found[k]->exact && draft_.arguments[k].role == "input" && akin &&
                         found[k]->shape == found[i]->shape;
      found[i]->exact = alike;
    }
  }
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
  // What is correct says how large arrays are; the kernel, how large those are that it has for itself.
  std::vector<std::optional<FoundShape>> found(asked.size());
  if (reference_artifact_) found = find_shapes(draft_, *reference_artifact_, Probed::reference, asked);
  if (reference_artifact_) settle_by_contents(draft_, *reference_artifact_, asked, found);
  bordered_as_inputs(found);
  std::vector<bool> open = asked, by_contents(asked.size(), false);
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i] = open[i] && !(found[i] && found[i]->exact);
    by_contents[i] = open[i] && found[i].has_value();
  }
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
  bordered_as_inputs(found);
  std::vector<bool> indexed = follow_indices(asked, found, by_contents);
  // Rows that one array begins hold places in another: what is reached through both shows once the first are
  // there.
  const bool rows = std::ranges::any_of(draft_.arguments, [](const DraftArgument& argument) {
    return argument.why.find("rows begin there") != std::string::npos;
  });
  if (rows) {
    const std::vector<bool> further = follow_indices(asked, found, by_contents);
    for (std::size_t i = 0; i < indexed.size(); ++i) indexed[i] = indexed[i] || further[i];
  }
  // Rows that no index leads along are those that data ends.
  for (auto& shape : found) {
    if (shape && shape->rows) shape->exact = true;
  }
  bool output = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    DraftArgument& argument = draft_.arguments[i];
    if (!found[i] && asked[i] && argument.role == "input" && reference_artifact_ &&
        argument.todo.find(which_axes) != std::string::npos &&
        leaves_alone(draft_, *reference_artifact_, Probed::reference, i) &&
        leaves_alone(draft_, answer_.artifact, Probed::kernel, i)) {
      argument.shape = {"1"};
      argument.role = "workspace";
      // What was said of an input.
      std::erase(argument.keys, std::pair<std::string, std::string>{"neutral", "true"});
      argument.todo.clear();
      argument.why = "nobody touches it";
      draft_.notes.push_back(
          fmt::format("{0} is touched neither by the kernel nor by the reference, as scalars are told: one "
                      "element stands there (--arg '{0}: [...]' says a shape)",
                      argument.name));
      continue;
    }
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
    if (!indexed[i]) argument.why += ", as far as it goes";
    if (found[i]->unread > 0)
      draft_.notes.push_back(
          fmt::format("{0} has [{1}]: nobody reads the last {2} of it, which are taken for its border, or "
                      "for a row's rest "
                      "(--arg '{0}: [{3} - {2}]' where it ends before them)",
                      argument.name, shape, found[i]->unread, fmt::join(found[i]->shape, " * ")));
    output = output || argument.role == "output" || argument.role == "inout";
  }
  return output;
}

/// What is indexed by another array's elements shows its size where those go up to an axis.
std::vector<bool> DraftMaker::follow_indices(const std::vector<bool>& asked,
                                             std::vector<std::optional<FoundShape>>& found,
                                             const std::vector<bool>& by_contents) {
  std::vector<bool> indexed(found.size(), false), open = asked, table(found.size(), false);
  const bool bytes = std::ranges::any_of(draft_.arguments, [](const DraftArgument& argument) {
    return argument.dtype == "u8" && argument.role == "input";
  });
  Draft draft = draft_;
  for (std::size_t i = 0; i < open.size(); ++i) {
    // Of a table that bytes lead into, a kernel that pads them reaches more than it needs, or less.
    table[i] = open[i] && bytes && by_contents[i] && found[i]->exact;
    open[i] = open[i] && (table[i] || !(found[i] && found[i]->exact));
    if (!found[i] || !found[i]->exact) continue;
    draft.arguments[i].shape = found[i]->shape;
    draft.arguments[i].todo.clear();
  }
  if (std::ranges::find(open, true) == open.end() || !draft_.launch.todo.empty()) return indexed;
  std::vector<std::optional<IndexedShape>> shapes;
  if (reference_artifact_) shapes = find_indexed_shapes(draft, *reference_artifact_, Probed::reference, open);
  const auto reached = find_indexed_shapes(draft, answer_.artifact, Probed::kernel, open);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto& shape = !shapes.empty() && shapes[i] ? shapes[i] : reached[i];
    if (!shape || (table[i] && shape->axis != "256")) continue;
    found[i] = FoundShape{shape->shape, shape->certain};
    indexed[i] = shape->certain;
    if (!shape->certain) continue;
    draft_.arguments[i].why +=
        shape->axis.empty()
            ? fmt::format(", as far as it goes where '{}' has rows with entries", shape->index)
            : fmt::format(", where '{}' leads, below {}", shape->index, shape->axis);
    if (shape->axis.empty()) continue;
    for (DraftArgument& argument : draft_.arguments) {
      if (argument.name != shape->index) continue;
      argument.holds_indices = true;
      const bool told =
          std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
      if (!shape->offsets || told) continue;
      argument.keys.emplace_back("fill", fmt::format("{{offsets: {}}}", shape->axis));
      argument.why += fmt::format(", holds {{offsets: {}}}: rows begin there", shape->axis);
    }
  }
  return indexed;
}

}  // namespace evo::intake
