#include "evaluators/reference/directed_roundings.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "evaluators/reference/trimmed.hpp"
#include "model/random.hpp"

namespace evo::evaluators::reference {
namespace {

/// As the compiler writes them where nobody said how to round: `add.rn.f32` is __fadd_rn, `add.f32` is a + b.
constexpr std::array openly_rounded{
    std::string_view("add.f32"),     std::string_view("sub.f32"),     std::string_view("mul.f32"),
    std::string_view("add.ftz.f32"), std::string_view("sub.ftz.f32"), std::string_view("mul.ftz.f32"),
    std::string_view("add.f64"),     std::string_view("sub.f64"),     std::string_view("mul.f64")};
/// These have no form without a rounding.
constexpr std::array always_rounded{std::string_view("fma.rn."), std::string_view("div.rn."),
                                    std::string_view("rcp.rn."), std::string_view("sqrt.rn.")};

/// An instruction in its parts.
struct Parts {
  std::string_view predicate;             ///< "@%p1 " or nothing
  std::string_view root, rest, operands;  ///< "add", ".ftz.f32", "%f1, %f2;"
  std::string_view result;                ///< "%f3"
};

/// nullopt: nothing of such a type that rounds as the compiler likes.
std::optional<Parts> parts_of(std::string_view line, std::string_view type) {
  std::string_view text = trimmed(line);
  Parts parts;
  if (text.starts_with('@')) {
    const auto end = text.find_first_of(" \t");
    if (end == std::string_view::npos) return std::nullopt;
    parts.predicate = text.substr(0, end + 1);
    text = trimmed(text.substr(end));
  }
  const auto blank = text.find_first_of(" \t"), comma = text.find(',');
  if (blank == std::string_view::npos || comma == std::string_view::npos || !text.ends_with(';'))
    return std::nullopt;
  const std::string_view word = text.substr(0, blank);
  if (!word.ends_with(type)) return std::nullopt;
  const bool open = std::ranges::find(openly_rounded, word) != openly_rounded.end();
  const bool always =
      std::ranges::any_of(always_rounded, [&](std::string_view root) { return word.starts_with(root); });
  if (!open && !always) return std::nullopt;
  parts.root = word.substr(0, word.find('.'));
  parts.rest = word.substr(parts.root.size() + (always ? std::string_view(".rn").size() : 0));
  parts.result = trimmed(text.substr(blank, comma - blank));
  parts.operands = trimmed(text.substr(comma + 1));
  return parts;
}

/// What a kernel may make by a reciprocal.
bool divides(const Parts& parts) {
  return parts.root == "div" || parts.root == "sqrt";
}

/// A quotient or a root that is exact, one unit off: its bits, from low to high, go by `step`. A reciprocal
/// of a power of two is exact as well.
std::string unit_off(const Parts& parts, int step) {
  std::string_view divisor = parts.operands;
  if (const auto comma = divisor.find(','); parts.root == "div" && comma != std::string_view::npos)
    divisor.remove_prefix(comma + 1);
  divisor = trimmed(divisor.substr(0, divisor.find(';')));
  const std::string even =
      parts.root == "sqrt" ? "0f40400000" : std::string(divisor);  // of a root any number that is no power
  return fmt::format(
      "{{ .reg .f32 evo_divisor; .reg .b32 evo_part; .reg .pred evo_off, evo_other;\n"
      "mov.f32 evo_divisor, {0};\nmov.b32 evo_part, evo_divisor;\nand.b32 evo_part, evo_part, 8388607;\n"
      "setp.ne.s32 evo_off, evo_part, 0;\nsetp.eq.f32 evo_other, evo_low, evo_high;\n"
      "and.pred evo_off, evo_off, evo_other;\nmov.b32 evo_bits, evo_low;\n"
      "and.b32 evo_part, evo_bits, 2139095040;\nsetp.ne.s32 evo_other, evo_part, 0;\n"
      "and.pred evo_off, evo_off, evo_other;\nsetp.ne.s32 evo_other, evo_part, 2139095040;\n"
      "and.pred evo_off, evo_off, evo_other;\nadd.s32 evo_bits, evo_bits, {1};\n"
      "@evo_off mov.b32 evo_low, evo_bits;\n@evo_off mov.b32 evo_high, evo_bits;\n}}\n",
      even, step);
}

/// Of the two neighbours of the exact result the one whose last bit is `odd`. Equal where it is exact; of
/// quotients and roots `step` units off then.
std::string to_neighbour(const Parts& parts, bool odd, int step) {
  return fmt::format(
      "{{ .reg .f32 evo_low, evo_high; .reg .b32 evo_bits; .reg .pred evo_is_low;\n"
      "{0}.rm{1} evo_low, {2}\n{0}.rp{1} evo_high, {2}\n{6}mov.b32 evo_bits, evo_low;\n"
      "and.b32 evo_bits, evo_bits, 1;\nsetp.eq.s32 evo_is_low, evo_bits, {3};\n"
      "{4}selp.f32 {5}, evo_low, evo_high, evo_is_low;\n}}\n",
      parts.root, parts.rest, parts.operands, odd ? 1 : 0, parts.predicate, parts.result,
      divides(parts) ? unit_off(parts, step) : std::string());
}

/// As to_neighbour(), of f64.
std::string to_neighbour_in_f64(const Parts& parts, bool odd) {
  return fmt::format(
      "{{ .reg .f64 evo_low, evo_high; .reg .b64 evo_bits; .reg .pred evo_is_low;\n"
      "{0}.rm{1} evo_low, {2}\n{0}.rp{1} evo_high, {2}\nmov.b64 evo_bits, evo_low;\n"
      "and.b64 evo_bits, evo_bits, 1;\nsetp.eq.s64 evo_is_low, evo_bits, {3};\n"
      "{4}selp.f64 {5}, evo_low, evo_high, evo_is_low;\n}}\n",
      parts.root, parts.rest, parts.operands, odd ? 1 : 0, parts.predicate, parts.result);
}

/// use(parts, stream) has the text for each instruction of the type.
template <class Use>
std::string rewritten(std::string_view ptx, std::string_view type, const Use& use) {
  std::string text;
  text.reserve(ptx.size() + ptx.size() / 16);
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, std::min(ptx.find('\n'), ptx.size() - 1) + 1);
    if (const auto parts = parts_of(line, type)) {
      text += use(*parts);
    } else {
      text += line;
    }
    ptx.remove_prefix(line.size());
  }
  return text;
}

}  // namespace

std::string with_directed_roundings(std::string_view ptx, std::uint64_t draw) {
  model::RandomStream directions(
      {.seed = draw, .generation = 0, .slot = 0, .purpose = "roundings to a neighbour"});
  return rewritten(ptx, ".f32", [&](const Parts& parts) {
    const bool odd = draw < 2 ? draw == 1 : directions.below(2) == 1;
    const bool below = draw < 2 ? draw == 1 : divides(parts) && directions.below(2) == 1;
    return to_neighbour(parts, odd, below ? -1 : 1);
  });
}

std::string with_directed_f64_roundings(std::string_view ptx, std::uint64_t draw) {
  model::RandomStream directions(
      {.seed = draw, .generation = 0, .slot = 0, .purpose = "roundings of f64 to a neighbour"});
  return rewritten(ptx, ".f64", [&](const Parts& parts) {
    return to_neighbour_in_f64(parts, draw < 2 ? draw == 1 : directions.below(2) == 1);
  });
}

}  // namespace evo::evaluators::reference
