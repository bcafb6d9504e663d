#include "evaluators/reference/directed_roundings.hpp"

#include <algorithm>
#include <array>

#include "model/random.hpp"

namespace evo::evaluators::reference {
namespace {

/// As the compiler writes them where nobody said how to round: `add.rn.f32` is __fadd_rn, `add.f32` is a + b.
constexpr std::array openly_rounded{std::string_view("add.f32"),     std::string_view("sub.f32"),
                                    std::string_view("mul.f32"),     std::string_view("add.ftz.f32"),
                                    std::string_view("sub.ftz.f32"), std::string_view("mul.ftz.f32")};
/// These have no form without a rounding.
constexpr std::array always_rounded{std::string_view("fma.rn."), std::string_view("div.rn."),
                                    std::string_view("rcp.rn."), std::string_view("sqrt.rn.")};

/// Where ".rm" or ".rp" goes into an instruction, and how many characters it replaces.
struct Place {
  std::size_t at = std::string_view::npos, length = 0;
};

Place place_in(std::string_view line) {
  const auto opcode = line.find_first_not_of(" \t");
  if (opcode == std::string_view::npos) return {};
  std::size_t begin = opcode;
  if (line[begin] == '@') {  // a predicate stands before it
    begin = line.find_first_of(" \t", begin);
    if (begin != std::string_view::npos) begin = line.find_first_not_of(" \t", begin);
    if (begin == std::string_view::npos) return {};
  }
  const std::string_view word = line.substr(begin, line.find_first_of(" \t;", begin) - begin);
  if (std::ranges::find(openly_rounded, word) != openly_rounded.end()) return {begin + 3, 0};
  const bool rounded =
      std::ranges::any_of(always_rounded, [&](std::string_view root) { return word.starts_with(root); });
  if (!rounded || !word.ends_with(".f32")) return {};
  return {begin + word.find(".rn."), 3};
}

}  // namespace

std::string with_directed_roundings(std::string_view ptx, std::uint64_t draw) {
  model::RandomStream directions({.seed = draw, .generation = 0, .slot = 0, .purpose = "directed roundings"});
  std::string text;
  text.reserve(ptx.size() + ptx.size() / 16);
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, std::min(ptx.find('\n'), ptx.size() - 1) + 1);
    const Place place = place_in(line);
    if (place.at == std::string_view::npos) {
      text += line;
    } else {
      const bool up = draw < 2 ? draw == 1 : directions.below(2) == 1;
      text += line.substr(0, place.at);
      text += up ? ".rp" : ".rm";
      text += line.substr(place.at + place.length);
    }
    ptx.remove_prefix(line.size());
  }
  return text;
}

}  // namespace evo::evaluators::reference
