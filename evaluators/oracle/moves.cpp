#include "evaluators/oracle/moves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/in_ranges.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// The numbers that an argument may hold, whatever the input set.
struct Limits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// From the least to the largest that a fill of the argument draws; one that may be neither draws anything.
/// nullopt: they are no floating-point numbers, or mean something else when they change a little, as indices
/// in a float do.
std::optional<Limits> limits_of(const model::BoundArgument& argument) {
  if (!model::is_given(argument.role) || !is_floating(argument.dtype)) return std::nullopt;
  std::optional<Limits> limits;
  const auto widen = [&](const model::BoundFill& fill) {
    const bool continuous = fill.form == model::FillForm::normal || fill.form == model::FillForm::uniform;
    if (!continuous) return false;
    limits = limits ? Limits{std::min(limits->low, fill.low()), std::max(limits->high, fill.high())}
                    : Limits{fill.low(), fill.high()};
    return true;
  };
  // Sets of other names than these draw as their kind has it where the argument itself has no fill.
  if (argument.fill && !widen(*argument.fill)) return std::nullopt;
  for (const auto& [set, fill] : argument.set_fills) {
    if (!widen(fill)) return std::nullopt;
  }
  return argument.fill ? limits : Limits{};
}

/// A coin for each magnitude, the same wherever it stands.
bool goes_up(double value, std::uint64_t salt) {
  // The finaliser of SplitMix64: one bit of the number decides about all of the result.
  std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(value)) + salt;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
  return ((bits ^ bits >> 31) & 1) != 0;
}

}  // namespace

InputBuffers moved(const model::Case& bound, const InputBuffers& inputs, const Move& move,
                   const std::vector<double>& held) {
  InputBuffers other = inputs;
  model::RandomStream salts(
      {.seed = move.entropy, .generation = move.draw, .slot = 0, .purpose = "moves of values"});
  const std::uint64_t salt = salts.next_u64();
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    const auto limits = limits_of(argument);
    if (!limits) continue;
    const model::RandomStream stream(
        {.seed = move.entropy, .generation = move.draw, .slot = i, .purpose = "conditioning"});
    const std::int64_t size = model::size_of(argument.dtype);
    const auto move_range = [&](std::int64_t begin, std::int64_t end) {
      model::RandomStream signs = stream;
      signs.skip(static_cast<std::uint64_t>(begin));
      for_elements(argument, begin, end, [&](std::int64_t, std::int64_t offset) {
        std::byte* const element = other[i].data() + offset * size;
        const double value = load_element(argument.dtype, element);
        const bool up = move.by == MovedBy::value ? goes_up(value, salt) : (signs.next_u32() & 1) != 0;
        const double other_value = value * (1 + (up ? move.relative : -move.relative));
        // What no fill put there (a set of evo's own) stays as it is.
        const bool inside = other_value >= limits->low && other_value <= limits->high;
        const bool moves = inside && !std::ranges::binary_search(held, value);
        store_element(argument.dtype, moves ? other_value : value, element);
      });
    };
    const std::int64_t count = element_count(argument);
    // Elements that share a place are moved once for each of them, in their order.
    if (count * size > buffer_bytes(argument)) {
      move_range(0, count);
      continue;
    }
    in_ranges(static_cast<std::size_t>(count), [&](std::size_t begin, std::size_t end) {
      move_range(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
    });
  }
  return other;
}

}  // namespace evo::evaluators::oracle
