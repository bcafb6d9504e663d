// A reader of 64-bit little-endian ELF files in memory: sections, symbols, relocations. Every access is
// checked, so that any bytes can be given to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace evo::evaluators::code {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::string_view bytes;  ///< empty for SHT_NOBITS
  std::uint64_t size = 0;
  std::uint32_t link = 0, info = 0;
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t info = 0;
  std::uint16_t section = 0;  ///< index; 0 = undefined
  std::uint64_t value = 0, size = 0;
};

struct ElfRelocation {
  std::uint64_t offset = 0;
  std::uint32_t symbol = 0, type = 0;
  std::int64_t addend = 0;  ///< 0 for REL, whose addend is in place
};

class Elf {
 public:
  /// nullopt if a header, a section or a name lies outside the bytes. The views below refer to `bytes`.
  [[nodiscard]] static std::optional<Elf> parse(std::string_view bytes);

  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  [[nodiscard]] const ElfSection* find(std::string_view name) const;
  /// Index of a section, or nullopt.
  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view name) const;
  /// Relocations that apply to section `index`, from every REL and RELA section.
  [[nodiscard]] std::vector<ElfRelocation> relocations_of(std::size_t index) const;

 private:
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace evo::evaluators::code
