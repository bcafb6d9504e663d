#include "intake/settled_draft.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/draft_settler.hpp"
#include "intake/folder.hpp"
#include "intake/index_columns.hpp"
#include "session/evaluation_stack.hpp"
#include "session/evaluator_check.hpp"
#include "session/load.hpp"

namespace evo::intake {
namespace {

/// "(case drawn 3: n=7, rate_h = 1.1)": 7 of n.
std::optional<std::int64_t> size_there(const std::string& message, const std::string& axis) {
  const std::size_t begin = message.find("(case ");
  const std::size_t at = begin == std::string::npos ? begin : message.find(" " + axis + "=", begin);
  std::int64_t size = 0;
  if (at == std::string::npos) return std::nullopt;
  const char* from = message.data() + at + axis.size() + 2;
  if (std::from_chars(from, message.data() + message.size(), size).ec != std::errc{}) return std::nullopt;
  return size;
}

/// Whether a scalar that was told as `told` has another value `there`, in "2.5, ...": both are read as far as
/// they are a number.
bool is_another_value(const std::string& told, std::string_view there) {
  double own = 0, value = 0;
  const auto read = [](std::string_view text, double& number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
  };
  if (!read(told, own) || !read(there, value)) return false;
  return own == 0 ? value != 0 : std::abs(value / own - 1) >= 1e-3;
}

/// Axes of the array that are smaller at the case's sizes than any that was told.
std::string smaller_axis_hint(const Draft& draft, const DraftArgument& argument, const std::string& message) {
  std::string flags;
  for (const DraftAxis& axis : draft.axes) {
    const auto size = size_there(message, axis.name);
    const bool own = std::ranges::find(argument.shape, axis.name) != argument.shape.end();
    const bool least = std::ranges::any_of(axis.keys, [](const auto& key) { return key.first == "min"; });
    if (!own || !size || least || axis.values.empty() || *size >= std::ranges::min(axis.values)) continue;
    flags += fmt::format(" --axis '{}={} min={}'", axis.name, fmt::join(axis.values, ","), *size + 1);
  }
  if (flags.empty()) return {};
  return fmt::format("\n  axes are smaller there than what was told: where they never are, say so:{}", flags);
}

/// Where an axis that the array does not have is longer than one of its own at the case's sizes, and at none
/// that was told: rows of `stride` of which `k` are read.
std::string longer_axis_hint(const Draft& draft, const DraftArgument& argument, const std::string& message) {
  std::string flags;
  for (const DraftAxis& shorter : draft.axes) {
    for (const DraftAxis& other : draft.axes) {
      const auto low = size_there(message, shorter.name), high = size_there(message, other.name);
      if (&shorter == &other || !low || !high || *low <= *high) continue;
      const auto has = [&](const DraftAxis& axis) {
        return std::ranges::find(argument.shape, axis.name) != argument.shape.end();
      };
      if (has(shorter) || !has(other)) continue;
      if (shorter.values.empty() || other.values.empty()) continue;
      const std::int64_t most = std::ranges::max(shorter.values), least = std::ranges::min(other.values);
      if (most > least) continue;
      flags += fmt::format(
          "\n  {0} is longer than {1} there: where it never is, --axis '{0}={2} max={3}' --axis '{1}={4} "
          "min={3}' keeps them so",
          shorter.name, other.name, fmt::join(shorter.values, ","), most, fmt::join(other.values, ","));
    }
  }
  return flags;
}

}  // namespace

std::vector<std::string> settle_draft(const Request& request, Draft& draft,
                                      const std::filesystem::path& folder, const std::string& experiment_file,
                                      const config::Overrides& overrides, std::uint64_t input_seed,
                                      const std::function<void()>& try_begins) {
  DraftSettler settler(request);
  const std::size_t notes = draft.notes.size();
  for (;;) {
    try_begins();
    model::Experiment experiment = session::load_experiment_or_throw(experiment_file, overrides);
    experiment.device = session::choose_devices(experiment.device, experiment.target).id;
    session::StackOptions parts;
    parts.threads = 1;
    parts.input_seed = input_seed;
    session::EvaluationStack stack(experiment, session::choose_devices(experiment.device, experiment.target),
                                   parts);
    try {
      const auto failed = session::failed_check(experiment, stack, input_seed, {});
      if (!failed) break;
      const bool mended = settler.mend(draft, *failed);
      (void)write_folder(draft, folder, true);
      if (!mended) break;
    } catch (const model::Exception& error) {
      if (!settler.mend_reference(draft, error.what())) throw;
      (void)write_folder(draft, folder, true);
    }
  }
  const auto first = std::min(notes, draft.notes.size());
  return {draft.notes.begin() + static_cast<std::ptrdiff_t>(first), draft.notes.end()};
}

std::string in_users_words(const Request& request, std::string message) {
  constexpr std::string_view copy = "the reference reference.cu";
  const std::string file = request.reference.substr(0, request.reference.rfind(".cu")) + ".cu";
  for (std::size_t at = message.find(copy); at != std::string::npos && !request.reference.empty();
       at = message.find(copy, at + copy.size()))
    message.replace(at, copy.size(), "the reference " + file);
  return message;
}

std::string shape_hint(const Draft& draft, const std::string& message) {
  if (const std::string array = left_by_reference(message); !array.empty()) {
    const auto own = std::ranges::find(draft.arguments, array, &DraftArgument::name);
    if (own == draft.arguments.end()) return {};
    return fmt::format("\n  where such data is meant, --arg '{}: {{{}unwritten: keep}}' says so", array,
                       own->role == "output" ? "before: zero, " : "");
  }
  if (message.find("the reference: out_of_bounds") == std::string::npos) return {};
  std::string other;
  for (const DraftArgument& argument : draft.arguments) {
    // "(case drawn 3: n=7, rate_h = 1.1)"
    const std::string before = ", " + argument.name + " = ";
    const std::size_t at = message.find(before);
    if (argument.role != "scalar" || at == std::string::npos) continue;
    if (!is_another_value(argument.value, std::string_view(message).substr(at + before.size()))) continue;
    other += fmt::format(" --arg '{}: {{value: {}, fixed: true}}'", argument.name, argument.value);
  }
  if (!other.empty())
    return "\n  scalars have other values there: where one follows from sizes, and has no other, say so:" +
           other;
  for (const DraftArgument& argument : draft.arguments) {
    if (argument.role == "scalar" ||
        message.find(" at " + argument.name + " byte offset") == std::string::npos)
      continue;
    std::string hint = fmt::format("\n  {0} is taken for [{1}]: {2}. --arg '{0}: [...]' says another shape",
                                   argument.name, fmt::join(argument.shape, ", "), argument.why);
    hint +=
        "\n  an axis that counts whole groups of others is told as such: --axis 'k=512 multiple_of=32', with "
        "your names";
    const std::string longer = longer_axis_hint(draft, argument, message);
    hint += longer.empty() ? smaller_axis_hint(draft, argument, message) : longer;
    for (const DraftArgument& index : draft.arguments) {
      const bool given = index.role == "input" || index.role == "inout";
      const bool integers = index.dtype.starts_with("i") || index.dtype.starts_with("u");
      const bool filled =
          std::ranges::any_of(index.keys, [](const auto& key) { return key.first == "fill"; });
      if (given && integers && !filled && index.fields.empty())
        hint += fmt::format(
            "\n  {0} holds any whole numbers: where they lead into {1}, --arg '{0}: {{fill: {{integers: [0, "
            "N - 1]}}}}' says which; {{offsets: N}} where rows begin there",
            index.name, argument.name);
      if (index.name != argument.name && may_have_columns(index))
        hint += fmt::format(
            "\n  {0} has rows of {2} numbers: where one of them leads into {1}, the first, say, --arg "
            "'{0}[0]: "
            "{{fill: {{integers: [0, N - 1]}}}}' says it of that one",
            index.name, argument.name, index.shape.back());
    }
    return hint;
  }
  return {};
}

}  // namespace evo::intake
