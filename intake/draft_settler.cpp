#include "intake/draft_settler.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/gates/unusual_scalars.hpp"
#include "intake/said_keys.hpp"
#include "intake/signature.hpp"
#include "intake/types.hpp"
#include "model/dtype.hpp"
#include "model/records.hpp"

namespace evo::intake {
namespace {

bool is_said_of(const DraftField& field, std::string_view name) {
  return std::ranges::any_of(field.keys, [&](const auto& key) { return key.first == name; });
}

}  // namespace

std::string left_by_reference(const std::string& message) {
  for (const std::string_view before : {"writes nothing, or not all of it, to ", " leaves "}) {
    const std::size_t at = message.find(before);
    if (at == std::string::npos || message.find("the reference ") == std::string::npos) continue;
    const std::size_t begin = at + before.size();
    return message.substr(begin, message.find('[', begin) - begin);
  }
  return {};
}

bool says_too_few_threads(const std::string& message) {
  return message.find("is launched with too few threads") != std::string::npos;
}

DraftSettler::DraftSettler(const Request& request) {
  // 'alpha : 1.5', 'd.rows: n', 'd: {rows: n}'
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const std::string& flag : request.arguments) {
    const std::size_t colon = flag.find(':');
    const std::string name = trimmed(flag.substr(0, colon));
    told_.insert(name);
    if (colon == std::string::npos || !trimmed(flag.substr(colon + 1)).starts_with('{')) continue;
    for (std::size_t at = flag.find(':', colon + 1); at != std::string::npos; at = flag.find(':', at + 1)) {
      const std::string before = trimmed(flag.substr(0, at));
      std::size_t begin = before.size();
      while (begin > 0 && in_word(before[begin - 1])) --begin;
      told_.insert(name + "." + before.substr(begin));
    }
  }
}

namespace {

/// An array that is written, and that somebody said holds one number before: {fill: {constant: 0}}.
bool holds_one_number(const DraftArgument& argument) {
  return argument.role == "inout" && std::ranges::any_of(argument.keys, [](const auto& key) {
           return key.first == "fill" && key.second.find("constant") != std::string::npos;
         });
}

}  // namespace

bool DraftSettler::told(const std::string& argument) const {
  return told_.contains(argument);
}

void DraftSettler::note(const std::string& guess, const std::string& text, Draft& draft) {
  forget(guess, draft);
  draft.notes.push_back(text);
  notes_[guess] = text;
}

void DraftSettler::forget(const std::string& guess, Draft& draft) {
  const auto made = notes_.find(guess);
  if (made == notes_.end()) return;
  std::erase(draft.notes, made->second);
  notes_.erase(made);
}

void DraftSettler::restore(DraftArgument& argument, Draft& draft) {
  const auto first = first_.find(argument.name);
  if (first != first_.end()) argument.value = first->second;
  forget(argument.name, draft);
}

bool DraftSettler::mend_reference(Draft& draft, const std::string& message) {
  if (!says_too_few_threads(message)) return keep_what_is_left(draft, message);
  if (draft.other_launches.empty()) return false;
  std::erase_if(draft.notes, [](const std::string& each) {
    return each.find("(--reference-grid, --reference-block)") != std::string::npos;
  });
  draft.reference_grid = std::move(draft.other_launches.front().grid);
  draft.reference_block = std::move(draft.other_launches.front().block);
  draft.other_launches.erase(draft.other_launches.begin());
  draft.reference_guessed = !draft.reference_grid.empty();
  const std::string launch =
      draft.reference_grid.empty()
          ? "it gets a thread for each element of its largest output"
          : fmt::format("it gets the grid {}, blocks of {}", fmt::join(draft.reference_grid, ", "),
                        fmt::join(draft.reference_block, ", "));
  note("launch",
       fmt::format("the launch that was guessed for the reference leaves elements at some sizes: {} "
                   "(--reference-grid, --reference-block)",
                   launch),
       draft);
  return true;
}

bool DraftSettler::keep_what_is_left(Draft& draft, const std::string& message) {
  for (DraftArgument& argument : draft.arguments) {
    if (argument.name != left_by_reference(message) || is_said(argument, "unwritten") ||
        is_said(argument, "reduce"))
      continue;
    if (!tried_.insert(argument.name + " left").second) return false;
    const bool plain = argument.role == "output" && !is_said(argument, "before");
    if (plain) argument.keys.emplace_back("before", "zero");
    argument.keys.emplace_back("unwritten", "keep");
    // What is kept no longer shows a launch that is too small, whoever has said it.
    if (!draft.reference_grid.empty()) draft.reference_guessed = true;
    note(argument.name + " left",
         fmt::format("for some data the reference leaves elements of {0} alone: they are to keep what was "
                     "there{1} (unwritten: keep)",
                     argument.name, plain ? ", zeros" : ""),
         draft);
    return true;
  }
  return false;
}

bool DraftSettler::keep_near(Draft& draft, const std::string& scalar, std::int64_t shown,
                             const std::string& reason) {
  for (DraftArgument& argument : draft.arguments) {
    const auto dtype = model::dtype_from_name(argument.dtype);
    if (argument.name != scalar || argument.role != "scalar" || !dtype) continue;
    std::int64_t value = 0;
    const char *from = argument.value.data(), *end = from + argument.value.size();
    if (std::from_chars(from, end, value).ptr != end) return false;
    const bool again = std::erase_if(argument.keys, [&](const auto& key) {
                         return key.first == "range" && key.second == near_[scalar];
                       }) > 0;
    if (is_said(argument, "range") || is_said(argument, "fixed") || is_said(argument, "neutral"))
      return false;
    std::vector<std::int64_t> near = evaluators::gates::other_integers(value, *dtype);
    // Beside a flag or a count of one, 2 is a guess.
    if (value == 0 || value == 1) near = {1 - value};
    near.push_back(value);
    const auto [least, most] = std::ranges::minmax(near);
    // A range means all that is in it; of powers of two only some were shown.
    const bool all = most - least + 1 == static_cast<std::int64_t>(near.size());
    std::string kept = fmt::format("{} to {}", least, most);
    if (again || !all || least == most) {
      argument.keys.emplace_back("fixed", "true");
      kept = argument.value;
    } else {
      near_[scalar] = fmt::format("[{}, {}]", least, most);
      argument.keys.emplace_back("range", near_[scalar]);
    }
    const std::string& flag = argument.place.path.empty() ? argument.name : argument.place.path;
    note(scalar + " near",
         fmt::format("{0} is kept to {1}: with {0} = {2}, which the reference answers, the kernel is refused "
                     "({3}), and what is proven holds for {1} alone. Where it is to take others, the kernel "
                     "is wrong: --arg '{4}: {{value: {5}, range: [LEAST, LARGEST]}}' asks for them",
                     scalar, kept, shown, reason, flag, argument.value),
         draft);
    return true;
  }
  return false;
}

bool DraftSettler::leave_field_alone(const std::string& array, const std::string& name, Draft& draft) {
  for (DraftArgument& argument : draft.arguments) {
    if (argument.name != array) continue;
    for (DraftField& field : argument.fields) {
      // "boxes[0]" is the field c0: a range that was found, of an axis of one, say, may be of one number.
      const bool column = name.size() > 1 && name.front() == 'c' &&
                          name.find_first_not_of("0123456789", 1) == std::string::npos;
      const bool said = told(array + "." + name) || told(array + "[]." + name) ||
                        told(fmt::format("{}[{}]", array, name.substr(1)));
      if (field.name == name && column && !said && !field.keys.empty() && !is_said_of(field, "neutral")) {
        field.keys.emplace_back("neutral", "true");
        note(array + "." + name,
             fmt::format("{}[{}] holds the same everywhere at these sizes, or changes nothing: it is taken "
                         "for one that "
                         "does not matter (neutral: true)",
                         array, name.substr(1)),
             draft);
        return true;
      }
      const bool ours = field.name == name && field.keys.empty() && !told(array + "." + name);
      if (!ours) continue;
      field.keys.emplace_back("unused", "true");
      note(array + "." + name,
           fmt::format(
               "{0}.{1} changes nothing: it is taken for one that is not used (--arg '{0}.{1}: {{fill: "
               "...}}' gives it numbers that matter)",
               array, name),
           draft);
      return true;
    }
  }
  return false;
}

bool DraftSettler::mend(Draft& draft, const evaluators::selftest::Check& failed) {
  const std::string changed = std::exchange(changed_, "");
  if (failed.reference_not_finite && !changed.empty()) {
    // It was finite before: the new value is at fault.
    for (DraftArgument& argument : draft.arguments) {
      if (argument.name == changed) restore(argument, draft);
    }
    return true;
  }
  if (failed.reference_not_finite) return give_positive_numbers(draft);
  if (const auto name = model::record_of(failed.argument); !name.empty())
    return leave_field_alone(std::string(name), failed.argument.substr(name.size() + 3), draft);
  for (DraftArgument& argument : draft.arguments) {
    if (argument.name != failed.argument) continue;
    if (holds_one_number(argument) && !is_said(argument, "neutral")) {
      argument.keys.emplace_back("neutral", "true");
      note(argument.name,
           fmt::format("{} holds the same number before each launch, as told, and the reference does not ask "
                       "for it: other contents are not shown (neutral: true)",
                       argument.name),
           draft);
      return true;
    }
    const bool large = tried_.contains(argument.name + "{uniform: [-1000, 1000]}");
    const bool added = argument.role == "inout" && ElementType{argument.dtype}.floating() &&
                       argument.fields.empty() && (large || !is_said(argument, "fill"));
    if (added) return give_large_numbers(argument, draft);
    const bool counted = argument.role == "inout" && argument.fields.empty() && !told(argument.name) &&
                         !ElementType{argument.dtype}.floating() && bytes_of(argument.dtype) >= 4 &&
                         !is_said(argument, "before");
    const bool more = tried_.contains(argument.name + more_integers(argument));
    if (counted && (more || !is_said(argument, "fill"))) return give_more_integers(argument, draft);
    if (argument.role == "input") return give_another_threshold(draft);
    if (argument.role != "scalar") continue;
    if (tried_.contains(argument.name + " neutral")) {
      std::erase(argument.keys, std::pair<std::string, std::string>{"neutral", "true"});
      restore(argument, draft);
      return false;
    }
    const bool member = !argument.place.path.empty() && told(argument.place.path);
    if (told(argument.name) || member || is_said(argument, "neutral")) return false;
    return give_another_value(argument, draft);
  }
  return false;
}

}  // namespace evo::intake
