#include "evaluators/oracle/specials.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t stretch = 64;
constexpr std::uint64_t one_of = 8;  ///< one of so many
constexpr std::string_view any_kind = "special_values";

/// A NaN of either sign, and of other bits: who orders numbers by their bits has one of them above all
/// others and one below.
double some_nan(model::RandomStream& stream) {
  constexpr std::uint64_t quiet = 0x7ff8000000000000, sign = std::uint64_t{1} << 63;
  constexpr int of_float = 29;  // the bits below are no float's
  const std::uint64_t bits = quiet | (stream.below(2) * sign) | (stream.below(4) << of_float);
  return std::bit_cast<double>(bits);
}

double some_value(std::string_view kind, model::RandomStream& stream) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (kind == infinities_kind) return infinity;
  if (kind == negative_infinities_kind) return -infinity;
  return some_nan(stream);
}

/// Which of the lanes of a warp a lone number is in: those of five rows are at most seven apart, however they
/// are drawn.
constexpr std::uint64_t lanes = 32, between_lanes = 13;

std::size_t place_in(std::size_t length, std::uint64_t lane, bool last, model::RandomStream& stream) {
  if (lane >= length) return stream.below(length);
  const std::size_t places = (length - lane + lanes - 1) / lanes, drawn = stream.below(places);
  return lane + lanes * (last ? places - 1 : drawn);
}

/// What a set does to a row, or to a stretch of a vector; they take turns.
enum class Filled : std::uint8_t { some, all, one, none };
constexpr std::uint64_t turns = 4;

/// Infinities of one sign, and what is next to them.
void put_ends(std::string_view kind, std::size_t length, model::RandomStream stream,
              const model::BoundArgument& argument, std::vector<double>& values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double sign = kind == ends_below_kind ? -1 : 1, next = sign * model::range_of(argument.dtype).high;
  const std::uint64_t first = stream.below(turns);
  std::size_t alone = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto row = static_cast<Filled>((e / length + first) % turns);
    // Not the first: that is where a kernel begins.
    const std::size_t rest = std::min(length, values.size() - e);
    if (e % length == 0) alone = e + (rest > 1 ? 1 + stream.below(rest - 1) : 0);
    const bool finite = row == Filled::all || (row == Filled::some && stream.below(one_of) == 0) ||
                        (row != Filled::none && e == alone);
    values[e] = finite ? next : sign * infinity;
  }
}

}  // namespace

std::vector<model::InputSet> special_sets(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& special = arguments[i].special;
    if (!special) continue;
    const auto add = [&](std::string_view kind, const char* name) {
      sets.push_back({fmt::format("{} in {}", name, arguments[i].name),
                      std::string(kind),
                      {{"argument", static_cast<double>(i)}, {std::string(undeclared_parameter), 1}}});
      if (special->inferred) sets.back().parameters[std::string(inferred_parameter)] = 1;
    };
    if (special->nan) add(nans_kind, "NaN");
    if (special->infinity) add(infinities_kind, "infinity");
    if (special->infinity) add(negative_infinities_kind, "minus infinity");
    if (special->nan && special->infinity) add(mixed_kind, "NaN and infinities");
    // What a fill says has no number at the end of its type.
    if (!special->infinity || arguments[i].fill) continue;
    add(ends_below_kind, "minus infinity and the least number");
    add(ends_above_kind, "infinity and the largest number");
  }
  return sets;
}

void put_specials(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  const bool mixed = set.kind == mixed_kind, ends = is_of_infinite_ends(set);
  if (!mixed && !ends && set.kind != nans_kind && set.kind != infinities_kind &&
      set.kind != negative_infinities_kind)
    return;
  const double named = parameter(set, "argument", -1);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    if (named >= 0 && named != static_cast<double>(i)) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("specials/{}/{}", set.name, bound.name)});
    const std::uint64_t first = stream.below(3);
    const bool one_row = argument.shape.size() < 2 || argument.shape.back() == element_count(argument);
    const std::size_t length = one_row ? stretch : static_cast<std::size_t>(argument.shape.back());
    if (ends) {
      put_ends(set.kind, length, std::move(stream), argument, draft[i]);
      continue;
    }
    std::size_t alone = 0, before = 0;
    std::uint64_t lane = stream.below(lanes);
    for (std::size_t e = 0; e < draft[i].size(); ++e) {
      auto row = static_cast<Filled>((e / length + first) % turns);
      // A NaN shows that it was missed where it is the only one.
      if (mixed && row == Filled::all) row = Filled::one;
      if (e % length == 0) {
        if (row == Filled::one) lane = (lane + between_lanes) % lanes;
        // Beside infinities mostly the last of its lane, and one of those in front of it.
        const bool last = mixed && stream.below(4) > 0;
        alone = e + place_in(std::min(length, draft[i].size() - e), lane, last, stream);
        before = mixed && row == Filled::one && alone >= e + lanes ? alone - lanes : alone;
      }
      const bool here = row == Filled::all || (row == Filled::some && stream.below(one_of) == 0) ||
                        (row == Filled::one && e == alone);
      // Beside NaNs infinities: who looks no further behind one of those does not see them.
      if (mixed && row != Filled::none && stream.below(2) == 0)
        draft[i][e] = some_value(stream.below(3) > 0 ? infinities_kind : negative_infinities_kind, stream);
      if (e == before && before != alone)
        draft[i][e] = some_value(e / length % 2 == 0 ? infinities_kind : negative_infinities_kind, stream);
      if (here) draft[i][e] = some_value(set.kind, stream);
    }
  }
}

bool is_of_infinite_ends(const model::InputSet& set) {
  return set.kind == ends_below_kind || set.kind == ends_above_kind;
}

bool holds_nans(const model::InputSet& set) {
  return set.kind == nans_kind || set.kind == mixed_kind || set.kind == any_kind || set.kind == "not_numbers";
}

bool holds_infinities(const model::InputSet& set) {
  return set.kind == infinities_kind || set.kind == negative_infinities_kind || set.kind == mixed_kind ||
         set.kind == any_kind || is_of_infinite_ends(set);
}

}  // namespace evo::evaluators::oracle
