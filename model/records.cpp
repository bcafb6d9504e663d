#include "model/records.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

namespace evo::model {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::string shape_but_last(const Argument& argument) {
  std::string text;
  for (std::size_t i = 0; i + 1 < argument.shape.size(); ++i) text += argument.shape[i].text() + ", ";
  return text;
}

}  // namespace

std::string_view record_of(std::string_view argument) {
  const std::size_t at = argument.find("[].");
  return at == std::string_view::npos ? std::string_view() : argument.substr(0, at);
}

std::vector<RecordLayout> records_of(std::span<const BoundArgument> arguments) {
  std::vector<RecordLayout> records;
  for (std::size_t i = 0; i < arguments.size();) {
    const std::string_view name = record_of(arguments[i].name);
    if (name.empty()) {
      ++i;
      continue;
    }
    RecordLayout record;
    record.first = i;
    record.count = 1;
    const std::vector<std::int64_t>& shape = arguments[i].shape;
    for (std::size_t d = 0; d + 1 < shape.size(); ++d) record.count *= shape[d];
    for (; i < arguments.size() && record_of(arguments[i].name) == name; ++i) {
      const BoundArgument& member = arguments[i];
      const std::int64_t element = size_of(member.dtype);
      const std::int64_t alignment = std::max(element, member.alignment);
      const std::int64_t offset = rounded_up(record.bytes, alignment);
      record.offsets.push_back(offset);
      record.lengths.push_back(element * (member.shape.empty() ? 1 : member.shape.back()));
      record.bytes = offset + record.lengths.back();
      record.alignment = std::max(record.alignment, alignment);
    }
    record.bytes = rounded_up(record.bytes, record.alignment);
    records.push_back(std::move(record));
  }
  return records;
}

std::string record_objection(const std::vector<Argument>& arguments) {
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& member = arguments[i];
    const std::string name(record_of(member.name));
    if (name.empty()) continue;
    const bool begins = i == 0 || record_of(arguments[i - 1].name) != name;
    if (begins && !seen.insert(name).second) return fmt::format("the members of {}[] stand together", name);
    if (member.role == ArgumentRole::scalar || member.texture || !member.symbol.empty() ||
        !member.structure.empty() || member.slices)
      return fmt::format("{} is a member of an array of structs: an array without texture, symbol or reduce",
                         member.name);
    if (member.shape.size() < 2 || !member.shape.back().names().empty())
      return fmt::format(
          "{}: the last size of its shape is a number, its elements in one struct; those before count "
          "structs",
          member.name);
    if (begins) continue;
    const Argument& before = arguments[i - 1];
    if (before.role != member.role || before.zeroed != member.zeroed)
      return fmt::format("{} and {}: one array of structs has one role", before.name, member.name);
    if (shape_but_last(before) != shape_but_last(member))
      return fmt::format(
          "{} and {}: members of one array of structs have the same shape but for its last size", before.name,
          member.name);
  }
  return {};
}

std::vector<std::uint32_t> reference_arguments(const std::vector<Argument>& arguments) {
  std::vector<std::uint32_t> taken;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = record_of(arguments[i].name);
    const bool follows = !name.empty() && i > 0 && record_of(arguments[i - 1].name) == name;
    if (!follows) taken.push_back(static_cast<std::uint32_t>(i));
  }
  return taken;
}

std::optional<std::vector<std::uint32_t>> record_parameters(std::span<const BoundArgument> arguments) {
  const std::vector<RecordLayout> records = records_of(arguments);
  if (records.empty()) return std::nullopt;
  std::vector<std::uint32_t> taken;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool follows = std::ranges::any_of(
        records, [&](const RecordLayout& record) { return record.has(i) && record.first != i; });
    if (!follows) taken.push_back(static_cast<std::uint32_t>(i));
  }
  return taken;
}

std::vector<std::uint32_t> parameter_arguments(const std::vector<Argument>& arguments) {
  std::vector<std::uint32_t> taken = reference_arguments(arguments);
  std::erase_if(taken, [&](std::uint32_t i) { return !arguments[i].symbol.empty(); });
  return taken;
}

}  // namespace evo::model
