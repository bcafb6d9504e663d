#include "evaluators/compile/resources.hpp"

#include <string>

#include "evaluators/compile/text.hpp"

namespace evo::evaluators::compile {
namespace {

/// The number in front of `unit`, e.g. 24 of "Used 24 registers, ...".
std::optional<std::int64_t> amount(std::string_view line, std::string_view unit) {
  const auto at = line.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return leading_number(line.substr(begin, at - begin));
}

/// All of " N bytes cmem[k]": every bank counts.
std::int64_t constant_bytes(std::string_view line) {
  std::int64_t sum = 0;
  constexpr std::string_view unit = " bytes cmem[";
  for (auto at = line.find(unit); at != std::string_view::npos; at = line.find(unit, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    sum += leading_number(line.substr(begin, at - begin)).value_or(0);
  }
  return sum;
}

/// The name in "Function properties for NAME" and "Compiling entry function 'NAME' for 'sm_89'".
std::string_view quoted_or_last(std::string_view line, std::string_view introduction) {
  std::string_view rest = trimmed(line.substr(line.find(introduction) + introduction.size()));
  if (rest.starts_with('\'')) rest = rest.substr(1, rest.find('\'', 1) - 1);
  return rest;
}

}  // namespace

std::optional<model::ResourceUsage> parse_resources(std::string_view log, std::string_view entry) {
  constexpr std::string_view compiling = "Compiling entry function ";
  constexpr std::string_view properties = "Function properties for ";
  model::ResourceUsage usage;
  bool used_seen = false, compiling_entry = false, properties_of_entry = false;
  for (const std::string_view line : lines_of(log)) {
    if (line.find(compiling) != std::string_view::npos) {
      compiling_entry = quoted_or_last(line, compiling) == entry;
      properties_of_entry = false;
    } else if (line.find(properties) != std::string_view::npos) {
      properties_of_entry = compiling_entry && quoted_or_last(line, properties) == entry;
    } else if (properties_of_entry && line.find(" bytes stack frame") != std::string_view::npos) {
      usage.stack_bytes = static_cast<int>(amount(line, " bytes stack frame").value_or(0));
      usage.spill_store_bytes = static_cast<int>(amount(line, " bytes spill stores").value_or(0));
      usage.spill_load_bytes = static_cast<int>(amount(line, " bytes spill loads").value_or(0));
    } else if (compiling_entry && line.find("Used ") != std::string_view::npos) {
      const auto registers = amount(line, " registers");
      if (!registers) continue;
      used_seen = true;
      usage.registers = static_cast<int>(*registers);
      usage.barriers = static_cast<int>(amount(line, " barriers").value_or(0));
      usage.static_smem_bytes = amount(line, " bytes smem").value_or(0);
      usage.constant_bytes = constant_bytes(line);
    }
  }
  if (!used_seen) return std::nullopt;
  return usage;
}

}  // namespace evo::evaluators::compile
