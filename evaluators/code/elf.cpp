#include "evaluators/code/elf.hpp"

#include <cstring>

namespace evo::evaluators::code {
namespace {

constexpr std::uint32_t sht_symtab = 2, sht_rela = 4, sht_nobits = 8, sht_rel = 9;
constexpr std::size_t file_header_size = 64, section_header_size = 64, symbol_size = 24;

/// The number at `at`, which the caller has checked to be inside.
template <class T>
T number(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool inside(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

std::optional<std::string_view> name_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const std::string_view rest = table.substr(offset);
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace

std::optional<Elf> Elf::parse(std::string_view bytes) {
  if (bytes.size() < file_header_size || !bytes.starts_with(std::string_view("\x7f"
                                                                             "ELF\x02\x01",
                                                                             6)))
    return {};
  const auto table = number<std::uint64_t>(bytes, 40);
  const auto entry_size = number<std::uint16_t>(bytes, 58), count = number<std::uint16_t>(bytes, 60);
  const auto names_index = number<std::uint16_t>(bytes, 62);
  if (entry_size != section_header_size || names_index >= count) return {};
  if (!inside(bytes, table, std::uint64_t{count} * section_header_size)) return {};

  Elf elf;
  std::vector<std::uint32_t> name_offsets;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view header = bytes.substr(table + i * section_header_size, section_header_size);
    ElfSection section;
    name_offsets.push_back(number<std::uint32_t>(header, 0));
    section.type = number<std::uint32_t>(header, 4);
    section.flags = number<std::uint64_t>(header, 8);
    section.size = number<std::uint64_t>(header, 32);
    section.link = number<std::uint32_t>(header, 40);
    section.info = number<std::uint32_t>(header, 44);
    if (section.type != sht_nobits && section.type != 0) {
      const auto offset = number<std::uint64_t>(header, 24);
      if (!inside(bytes, offset, section.size)) return {};
      section.bytes = bytes.substr(offset, section.size);
    }
    elf.sections_.push_back(section);
  }
  const std::string_view names = elf.sections_[names_index].bytes;
  for (std::size_t i = 0; i < count; ++i) {
    if (elf.sections_[i].type == 0) continue;
    const auto name = name_at(names, name_offsets[i]);
    if (!name) return {};
    elf.sections_[i].name = *name;
  }

  for (const auto& section : elf.sections_) {
    if (section.type != sht_symtab) continue;
    if (section.link >= elf.sections_.size()) return {};
    const std::string_view strings = elf.sections_[section.link].bytes;
    for (std::size_t at = 0; at + symbol_size <= section.bytes.size(); at += symbol_size) {
      ElfSymbol symbol;
      const auto name = name_at(strings, number<std::uint32_t>(section.bytes, at));
      if (!name) return {};
      symbol.name = *name;
      symbol.info = number<std::uint8_t>(section.bytes, at + 4);
      symbol.section = number<std::uint16_t>(section.bytes, at + 6);
      symbol.value = number<std::uint64_t>(section.bytes, at + 8);
      symbol.size = number<std::uint64_t>(section.bytes, at + 16);
      elf.symbols_.push_back(symbol);
    }
    break;  // there is one
  }
  return elf;
}

const ElfSection* Elf::find(std::string_view name) const {
  const auto index = index_of(name);
  return index ? &sections_[*index] : nullptr;
}

std::optional<std::size_t> Elf::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].type != 0 && sections_[i].name == name) return i;
  }
  return std::nullopt;
}

std::vector<ElfRelocation> Elf::relocations_of(std::size_t index) const {
  std::vector<ElfRelocation> found;
  for (const auto& section : sections_) {
    if ((section.type != sht_rel && section.type != sht_rela) || section.info != index) continue;
    const std::size_t size = section.type == sht_rela ? 24 : 16;
    for (std::size_t at = 0; at + size <= section.bytes.size(); at += size) {
      ElfRelocation relocation;
      relocation.offset = number<std::uint64_t>(section.bytes, at);
      const auto info = number<std::uint64_t>(section.bytes, at + 8);
      relocation.symbol = static_cast<std::uint32_t>(info >> 32);
      relocation.type = static_cast<std::uint32_t>(info);
      if (size == 24) relocation.addend = number<std::int64_t>(section.bytes, at + 16);
      found.push_back(relocation);
    }
  }
  return found;
}

}  // namespace evo::evaluators::code
