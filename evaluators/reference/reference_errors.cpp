#include "evaluators/reference/reference_errors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::reference {
namespace {

/// "3 x 4": without the sides that are 1 at the end.
std::string sides_text(const std::array<std::uint32_t, 3>& sides) {
  std::size_t count = 3;
  while (count > 1 && sides.at(count - 1) == 1) --count;
  return fmt::format("{}", fmt::join(std::span(sides).first(count), " x "));
}

std::string sizes_and_launch(const model::Case& wide) {
  std::string text;
  for (const auto& [axis, size] : wide.axes) text += fmt::format("{}={}, ", axis, size);
  return fmt::format("{}launched as {} block{} of {} threads", text, sides_text(wide.launch.grid),
                     sides_text(wide.launch.grid) == "1" ? "" : "s", sides_text(wide.launch.block));
}

/// "y[1,0,72] of case drawn 67 (c=744, n=3, launched as 3 blocks of 64 threads)"
std::string place_of(const model::Case& wide, const Untouched& at) {
  const model::BoundArgument& output = wide.arguments[at.argument];
  return fmt::format("{}[{}] of case {} ({})", output.name,
                     fmt::join(oracle::coordinates_of(output, at.element), ","), wide.name,
                     sizes_and_launch(wide));
}

}  // namespace

model::Error too_few_threads(const std::string& file, const model::Case& wide, const Untouched& at) {
  return {
      fmt::format("the reference {} is launched with too few threads: more blocks write {}, too; say "
                  "--reference-grid and --reference-block, or grid: and block: of the oracle's kernel",
                  file, place_of(wide, at))};
}

model::Error left_unwritten(const std::string& file, const model::Case& wide, const Untouched& at) {
  return {
      fmt::format("the reference {} writes nothing, or not all of it, to {}; where that launch is too "
                  "small, say --reference-grid, or grid: and block: of the oracle's kernel",
                  file, place_of(wide, at))};
}

model::Error left_alone(const std::string& file, const model::Case& wide, const Untouched& at) {
  return {
      fmt::format("the reference {} leaves {} as it was, whatever it was; if that is meant, say unwritten: "
                  "keep at {}",
                  file, place_of(wide, at), wide.arguments[at.argument].name)};
}

}  // namespace evo::evaluators::reference
