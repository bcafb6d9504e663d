#include "evaluators/gates/cubin_storage.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "evaluators/code/elf.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t writable = 1, allocated = 2;  // SHF_WRITE, SHF_ALLOC
constexpr std::uint64_t most_padding = 256;           // alignment of a variable
constexpr std::string_view magic =
    "\x7f"
    "ELF";

/// Memory of a launch, not of the module.
bool ends_with_the_launch(std::string_view section) {
  return section.starts_with(".nv.shared") || section.starts_with(".nv.local");
}

/// ptxas calls the variable x of a function $__x__12.
std::string_view declared_name(std::string_view symbol) {
  if (!symbol.starts_with("$__")) return symbol;
  const std::size_t end = symbol.rfind("__");
  if (end <= 3 || end + 2 >= symbol.size() ||
      symbol.find_first_not_of("0123456789", end + 2) != std::string_view::npos)
    return symbol;
  return symbol.substr(3, end - 3);
}

}  // namespace

std::vector<std::string> undeclared_storage(const std::string& cubin, const ModuleNames& names) {
  if (!std::string_view(cubin).starts_with(magic)) return {};
  const auto elf = code::Elf::parse(cubin);
  if (!elf) return {"the cubin cannot be read"};
  std::vector<std::string> found;
  for (std::size_t i = 0; i < elf->sections().size(); ++i) {
    const code::ElfSection& section = elf->sections()[i];
    if ((section.flags & writable) == 0 || (section.flags & allocated) == 0 || section.size == 0 ||
        ends_with_the_launch(section.name))
      continue;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> covered;
    for (const code::ElfSymbol& symbol : elf->symbols()) {
      if (symbol.section != i || symbol.size == 0) continue;
      covered.emplace_back(symbol.value, symbol.value + symbol.size);
      if (names.variable(symbol.name) || names.variable(declared_name(symbol.name))) continue;
      found.push_back(fmt::format("the cubin has {} writable bytes, {} of {}, that its PTX does not declare",
                                  symbol.size, symbol.name.empty() ? "without a name" : symbol.name,
                                  section.name));
    }
    std::sort(covered.begin(), covered.end());
    covered.emplace_back(section.size, section.size);
    std::uint64_t end = 0;
    for (const auto& [from, to] : covered) {
      if (from >= end + most_padding) {
        found.push_back(fmt::format("the cubin has {} writable bytes in {} that belong to no variable",
                                    from - end, section.name));
      }
      end = std::max(end, to);
    }
  }
  return found;
}

}  // namespace evo::evaluators::gates
