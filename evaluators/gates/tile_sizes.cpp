#include "evaluators/gates/tile_sizes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string_view>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t least_tile_number = 257, greatest_tile_number = 16384;

/// The first i in (after, most] at which the extent is above what it is at `after`; 0: none.
template <class Extent>
std::int64_t next_growth(const Extent& extent_at, std::int64_t after, std::int64_t most) {
  const std::int64_t start = extent_at(after);
  std::int64_t below = after, above = after, stride = 1;
  while (above == below) {
    const std::int64_t next = std::min(most, below + stride);
    if (next <= below) return 0;
    if (extent_at(next) > start) {
      above = next;
    } else {
      below = above = next;
    }
    stride *= 2;
  }
  while (above - below > 1) {
    const std::int64_t middle = below + (above - below) / 2;
    (extent_at(middle) > start ? above : below) = middle;
  }
  return above;
}

std::optional<std::int64_t> whole_number(std::string_view operand) {
  while (operand.starts_with(' ')) operand.remove_prefix(1);
  while (operand.ends_with(' ')) operand.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(operand.data(), operand.data() + operand.size(), value);
  if (error != std::errc{} || end != operand.data() + operand.size()) return std::nullopt;
  return value;
}

/// The i-th of the operands between commas; empty: there are fewer.
std::string_view operand_number(std::string_view operands, std::size_t i) {
  for (; i > 0; --i) {
    const std::size_t comma = operands.find(',');
    if (comma == std::string_view::npos) return {};
    operands.remove_prefix(comma + 1);
  }
  operands = operands.substr(0, operands.find(','));
  while (operands.starts_with(' ')) operands.remove_prefix(1);
  while (operands.ends_with(' ')) operands.remove_suffix(1);
  return operands;
}

/// 1024 for a mask of 1023 (what is left) or of -1024 (what is whole).
std::optional<std::int64_t> masked_by(std::int64_t mask) {
  const std::int64_t power = mask < 0 ? -mask : mask + 1;
  if (power <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(power))) return std::nullopt;
  return power;
}

constexpr std::size_t tile_kinds = 4;  // divided, multiplied, compared, gone on by

struct TileNumber {
  std::size_t kind;
  std::int64_t number;
};

std::optional<TileNumber> tile_in(const InstructionText& instruction) {
  const std::string_view opcode = instruction.opcode;
  const auto is = [&](std::string_view name) { return opcode.starts_with(name); };
  if (!opcode.ends_with("32") && !opcode.ends_with("64")) return std::nullopt;
  if (opcode.ends_with("f32") || opcode.ends_with("f64")) return std::nullopt;
  const auto value = whole_number(operand_number(instruction.operands, 2));
  if (!value) return std::nullopt;
  if (is("rem.") || is("div.")) return TileNumber{0, *value};
  if (is("and.b")) {
    const auto power = masked_by(*value);
    return power ? std::optional(TileNumber{0, *power}) : std::nullopt;
  }
  if (is("mul.lo.") || is("mad.lo.")) return TileNumber{1, *value};
  if ((is("shl.") || is("shr.")) && *value > 0 && *value < 32)
    return TileNumber{1, std::int64_t{1} << *value};
  if (is("setp.")) return TileNumber{2, *value};
  // A register that goes on by a number, as what a loop counts does.
  if (is("add.s") && operand_number(instruction.operands, 0) == operand_number(instruction.operands, 1))
    return TileNumber{3, *value};
  return std::nullopt;
}

}  // namespace

std::set<std::int64_t> grid_steps(const std::function<std::optional<model::LaunchPlan>(std::int64_t i)>& at,
                                  std::int64_t most) {
  std::set<std::int64_t> steps;
  const auto first = at(1);
  if (!first) return steps;
  const std::size_t kernels = model::kernels_of(*first).size();
  for (std::size_t extent = 0; extent < 3 * kernels; ++extent) {
    const auto extent_at = [&](std::int64_t i) -> std::int64_t {
      const auto plan = at(i);
      const auto all = plan ? model::kernels_of(*plan) : std::vector<const model::LaunchPlan*>{};
      return extent / 3 < all.size() ? all[extent / 3]->grid[extent % 3] : 0;
    };
    const std::int64_t second = next_growth(extent_at, 1, most);
    const std::int64_t third = second == 0 ? 0 : next_growth(extent_at, second, most);
    if (third == 0) continue;
    // Of a logarithm or a root of the size no two steps are alike, and a size may be none for the plan.
    const std::int64_t step = third - second, blocks = extent_at(second);
    if (extent_at(1) + 1 == blocks && extent_at(third) == blocks + 1 &&
        (third + step > most ||
         (extent_at(third + step - 1) == blocks + 1 && extent_at(third + step) != blocks + 1)))
      steps.insert(step);
  }
  return steps;
}

std::vector<std::int64_t> tile_numbers(const std::string& ptx, std::size_t most) {
  const code::PtxModule module(ptx);
  if (module.unreadable()) return {};
  std::array<std::set<std::int64_t>, tile_kinds> found;
  for (const code::Statement& statement : module.statements()) {
    const auto one = tile_in(instruction_of(statement));
    if (one && one->number >= least_tile_number && one->number <= greatest_tile_number)
      found[one->kind].insert(one->number);
  }
  std::vector<std::int64_t> numbers;
  for (const auto& kind : found) {
    for (const std::int64_t number : kind) {
      if (numbers.size() < most && std::ranges::find(numbers, number) == numbers.end())
        numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace evo::evaluators::gates
