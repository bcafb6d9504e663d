#include "intake/index_columns.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/types.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

constexpr int most_columns = 16;

/// The numbers of a row: the last size of the shape; 0 where that is none, or there are no rows.
int width_of(const DraftArgument& argument) {
  if (argument.shape.size() < 2) return 0;
  int width = 0;
  const std::string& last = argument.shape.back();
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), width);
  return error == std::errc{} && end == last.data() + last.size() ? width : 0;
}

[[noreturn]] void refuse_columns(const DraftArgument& argument, const std::string& why) {
  throw model::Exception(model::ExitCode::usage, fmt::format("--arg '{}[{}]: ...': {}", argument.name,
                                                             argument.columns.front().column, why));
}

}  // namespace

std::map<std::string, std::vector<DraftColumn>> take_column_flags(std::vector<ArgumentFlag>& flags,
                                                                  const std::vector<Parameter>& parameters) {
  std::map<std::string, std::vector<DraftColumn>> taken;
  std::erase_if(flags, [&](const ArgumentFlag& flag) {
    // As problem.yaml names it, too: boxes[].c0.
    const std::size_t field = flag.name.find("[].c");
    const std::size_t open = field == std::string::npos ? flag.name.find('[') : field + 3;
    if (open == std::string::npos || (field == std::string::npos && flag.name.back() != ']')) return false;
    const std::string array = flag.name.substr(0, std::min(open, field));
    // A macro may hide the star of a pointer: what holds something is an array.
    const bool holds = std::ranges::any_of(flag.keys, [](const auto& key) { return key.first == "fill"; });
    if (std::ranges::none_of(parameters,
                             [&](const Parameter& p) { return (p.pointer || holds) && p.name == array; }))
      return false;
    int column = -1;
    const char *from = flag.name.data() + open + 1,
               *to = flag.name.data() + flag.name.size() - (field == std::string::npos ? 1 : 0);
    const auto [end, error] = std::from_chars(from, to, column);
    const bool only_fill = std::ranges::all_of(
        flag.keys, [](const auto& key) { return key.first == "fill" || key.first == "unused"; });
    if (error != std::errc{} || end != to || column < 0 || flag.keys.empty() || !only_fill ||
        !flag.role.empty() || !flag.dtype.empty() || !flag.shape.empty() || !flag.value.empty())
      throw model::Exception(
          model::ExitCode::usage,
          fmt::format("--arg '{0}: ...': of one number of each row only what it holds can be told: '{1}[0]: "
                      "{{fill: {{integers: [0, N - 1]}}}}'",
                      flag.name, array));
    taken[array].push_back({column, flag.keys});
    return true;
  });
  return taken;
}

bool may_have_columns(const DraftArgument& argument) {
  const bool array = argument.role == "input" || argument.role == "inout";
  const int width = width_of(argument);
  const bool told = std::ranges::any_of(argument.keys, [](const auto& key) {
    return key.first == "fill" || key.first == "texture" || key.first == "surface" || key.first == "symbol";
  });
  const ElementType type{argument.dtype};
  const bool numbers =
      type.floating() ? argument.dtype == "f32" || argument.dtype == "f64" : argument.dtype != "bool";
  return array && numbers && !told && width > 1 && width <= most_columns && argument.columns.empty() &&
         argument.fields.empty() && argument.place.structure.empty();
}

std::vector<DraftColumn> find_index_columns(Draft& draft, const IndexCodes& codes, std::size_t argument) {
  DraftArgument& array = draft.arguments[argument];
  // Of (y * w + x) a y leads far where x is 0, and the other way round: the one that may be least is the
  // outermost, and holds its greatest number while the others are looked at.
  std::vector<std::pair<std::int64_t, int>> order;
  for (int column = 0; column < width_of(array); ++column) {
    if (const auto most = codes.greatest_here({argument, 0, false, 0, column}))
      order.emplace_back(*most, column);
  }
  std::ranges::sort(order);
  for (const auto& [most, column] : order) {
    const auto last = codes.last({argument, 0, false, 0, column});
    if (!last || last->number.empty()) continue;
    array.columns.push_back({column, {{"fill", fmt::format("{{integers: [0, {}]}}", last->number)}}});
  }
  std::vector<DraftColumn> found = std::exchange(array.columns, {});
  std::ranges::sort(found, {}, &DraftColumn::column);
  return found;
}

std::optional<std::string> same_for_all(const DraftArgument& argument,
                                        const std::vector<DraftColumn>& columns) {
  if (columns.empty() || static_cast<int>(columns.size()) != width_of(argument)) return std::nullopt;
  const bool same = std::ranges::all_of(
      columns, [&](const DraftColumn& column) { return column.keys == columns.front().keys; });
  return same ? std::optional(columns.front().keys.front().second) : std::nullopt;
}

void split_columns(DraftArgument& argument) {
  if (argument.columns.empty()) return;
  const int width = width_of(argument);
  if (argument.role != "input" && argument.role != "inout")
    refuse_columns(argument, fmt::format("{} is no input", argument.name));
  if (!argument.fields.empty() || !argument.place.structure.empty())
    refuse_columns(argument, "of an array of structs, and of one in a struct, columns cannot be told");
  const int most = std::ranges::max(argument.columns, {}, &DraftColumn::column).column;
  if (width < 2 || most >= width)
    refuse_columns(argument, fmt::format("{0} is [{1}], which has no such column; --arg '{0}: [..., {2}]' "
                                         "says that it has rows of {2} numbers",
                                         argument.name, fmt::join(argument.shape, ", "), most + 1));
  bool alone = true;
  for (int column = 0; column < width; ++column) {
    const auto known = std::ranges::find(argument.columns, column, &DraftColumn::column);
    if (known == argument.columns.end() && !alone) {
      ++argument.fields.back().lanes;
      continue;
    }
    argument.fields.push_back({fmt::format("c{}", column), argument.dtype, 1});
    alone = known != argument.columns.end();
    if (alone) argument.fields.back().keys = known->keys;
  }
  argument.shape.pop_back();
  argument.columns.clear();
}

std::vector<std::string> column_notes(const DraftArgument& argument) {
  std::vector<std::string> notes;
  for (const DraftColumn& column : argument.columns) {
    for (const auto& [key, value] : column.keys)
      notes.push_back(
          fmt::format("{0}[{1}], number {1} of each row, holds {2}: greater ones lead out of bounds (--arg "
                      "'{0}[{1}]: {{fill: ...}}' says what it holds)",
                      argument.name, column.column, value));
  }
  return notes;
}

}  // namespace evo::intake
