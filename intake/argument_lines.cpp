#include "intake/argument_lines.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/types.hpp"

namespace evo::intake {
namespace {

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

}  // namespace

std::string plain_yaml(const std::string& text) {
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

std::string yaml_list(const std::vector<std::string>& items) {
  std::vector<std::string> texts;
  for (const std::string& item : items) texts.push_back(plain_yaml(item));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

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
                  plain_yaml(argument.name), argument.role, argument.dtype);
  text += argument.role == "scalar" ? fmt::format(", value: {}", plain_yaml(argument.value))
                                    : fmt::format(", shape: {}", yaml_list(argument.shape));
  for (const auto& [key, value] : argument.keys) text += fmt::format(", {}: {}", key, value);
  return text + "}";
}

}  // namespace evo::intake
