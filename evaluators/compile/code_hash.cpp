#include "evaluators/compile/code_hash.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "evaluators/code/elf.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::compile {
namespace {

using code::Elf;

// Attributes of .nv.info whose payload starts with a symbol's index.
constexpr std::uint8_t format_sized = 0x04;
constexpr std::uint8_t attribute_param_cbank = 0x0a, attribute_externs = 0x0f, attribute_frame_size = 0x11,
                       attribute_min_stack = 0x12, attribute_max_stack = 0x23, attribute_registers = 0x2f;

struct Attribute {
  std::uint8_t format = 0, code = 0;
  std::string payload;
};

/// The records of a .nv.info section; stops at the first one that does not fit.
std::vector<Attribute> attributes_of(std::string_view bytes) {
  std::vector<Attribute> found;
  while (bytes.size() >= 4) {
    Attribute attribute;
    attribute.format = static_cast<std::uint8_t>(bytes[0]);
    attribute.code = static_cast<std::uint8_t>(bytes[1]);
    if (attribute.format == format_sized) {
      const std::size_t size = static_cast<std::uint8_t>(bytes[2]) |
                               static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[3])) << 8;
      if (bytes.size() < 4 + size) break;
      attribute.payload = bytes.substr(4, size);
      bytes.remove_prefix(4 + size);
    } else {
      attribute.payload = bytes.substr(2, 2);
      bytes.remove_prefix(4);
    }
    found.push_back(std::move(attribute));
  }
  return found;
}

std::uint32_t first_word(std::string_view payload) {
  std::uint32_t word = 0;
  if (payload.size() >= sizeof word) std::memcpy(&word, payload.data(), sizeof word);
  return word;
}

class CodeHash {
 public:
  CodeHash(const Elf& elf, std::string_view entry) : elf_(elf), entry_(entry) {}

  std::optional<std::string> compute() {
    const auto text = elf_.index_of(".text." + std::string(entry_));
    if (!text) return std::nullopt;
    reach(*text);
    for (std::size_t i = 0; i < elf_.sections().size(); ++i) {
      const auto [kind, owner] = split(elf_.sections()[i].name);
      if (!kind.starts_with(".nv.") || kind == ".nv.info") continue;
      // Banks and globals of the module are referred to by address: no relocation need name them.
      const bool module_wide = (kind.starts_with(".nv.constant") && owner.empty()) ||
                               (kind == ".nv.global" && (owner.empty() || owner == "init"));
      if (module_wide || owner == entry_) reach(i);
    }
    while (!pending_.empty()) {
      const std::size_t index = pending_.back();
      pending_.pop_back();
      follow(index);
    }
    // In the order of their first reach, which depends on the code and not on the order in the file.
    for (const std::size_t index : order_) add_section(index);
    add_info();
    return hasher_.finish();
  }

 private:
  void reach(std::size_t index) {
    const auto& section = elf_.sections()[index];
    if (section.name.starts_with(".debug") || section.name.starts_with(".nv_debug")) return;
    if (!number_.emplace(index, order_.size()).second) return;
    order_.push_back(index);
    pending_.push_back(index);
  }

  void follow(std::size_t index) {
    for (const auto& relocation : elf_.relocations_of(index)) {
      if (relocation.symbol >= elf_.symbols().size()) continue;
      const std::size_t target = elf_.symbols()[relocation.symbol].section;
      if (target > 0 && target < elf_.sections().size()) reach(target);
    }
  }

  void add_number(std::uint64_t value) { hasher_.add(std::to_string(value)); }

  void add_section(std::size_t index) {
    const auto& section = elf_.sections()[index];
    // Names of functions may carry ids of the compile: only the kind of section counts.
    hasher_.add("section").add(split(section.name).kind).add(section.bytes);
    add_number(section.size);
    // The high byte of a code section's sh_info is its register count; the rest is a symbol's index.
    if (section.name.starts_with(".text.")) add_number(section.info >> 24);
    for (const auto& relocation : elf_.relocations_of(index)) {
      add_number(relocation.offset);
      add_number(relocation.type);
      add_number(static_cast<std::uint64_t>(relocation.addend));
      if (relocation.symbol >= elf_.symbols().size()) continue;
      const auto& symbol = elf_.symbols()[relocation.symbol];
      const auto known = number_.find(symbol.section);
      if (symbol.section != 0 && known != number_.end()) {
        add_number(known->second);
        add_number(symbol.value);
      } else {
        hasher_.add(symbol.name);  // something outside, e.g. vprintf
      }
    }
  }

  struct Name {
    std::string_view kind, owner;
  };
  /// ".nv.constant0.f" -> ".nv.constant0" and "f"; ".text.f" -> ".text" and "f".
  static Name split(std::string_view name) {
    const auto dot = name.find('.', name.starts_with(".nv.") ? 4 : 1);
    if (dot == std::string_view::npos) return {name, {}};
    return {name.substr(0, dot), name.substr(dot + 1)};
  }

  void add_info() {
    for (const auto& section : elf_.sections()) {
      const auto [kind, owner] = split(section.name);
      const bool own = owner == entry_;
      if (kind != ".nv.info" || (!own && !owner.empty())) continue;
      for (auto attribute : attributes_of(section.bytes)) {
        const bool names_symbol =
            attribute.format == format_sized &&
            (attribute.code == attribute_param_cbank || attribute.code == attribute_externs ||
             attribute.code == attribute_frame_size || attribute.code == attribute_min_stack ||
             attribute.code == attribute_max_stack || attribute.code == attribute_registers);
        if (names_symbol && attribute.payload.size() >= 4) {
          const std::uint32_t symbol = first_word(attribute.payload);
          const bool known = symbol < elf_.symbols().size();
          if (!own && (!known || elf_.symbols()[symbol].name != entry_)) continue;
          std::fill_n(attribute.payload.begin(), 4, '\0');
        }
        hasher_.add("attribute").add(attribute.payload);
        add_number(attribute.format);
        add_number(attribute.code);
      }
    }
  }

  const Elf& elf_;
  std::string_view entry_;
  model::Hasher hasher_;
  std::map<std::size_t, std::size_t> number_;
  std::vector<std::size_t> order_, pending_;
};

}  // namespace

std::optional<std::string> code_hash(std::string_view cubin, std::string_view entry) {
  const auto elf = Elf::parse(cubin);
  if (!elf) return std::nullopt;
  return CodeHash(*elf, entry).compute();
}

}  // namespace evo::evaluators::compile
