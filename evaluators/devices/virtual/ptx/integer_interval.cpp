#include "evaluators/devices/virtual/ptx/integer_interval.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace evo::evaluators::virtual_device::ptx {
namespace {

using Wide = __int128;

/// Of what is not 0: the least number of 64 bits is no step from one multiple to the next.
constexpr unsigned most_twos = no_bit - 1;

unsigned twos_in(std::int64_t value) {
  if (value == 0) return no_bit;
  return std::min(most_twos, static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(value))));
}

/// Of a product.
unsigned twos_of_both(unsigned a, unsigned b) {
  return a == no_bit || b == no_bit ? no_bit : std::min(a + b, most_twos);
}

/// What fits is kept; what may wrap can be anything.
Interval within(unsigned bytes, std::initializer_list<Wide> corners) {
  const Interval all = all_of(bytes);
  const Wide least = std::min(corners), most = std::max(corners);
  if (least < all.least || most > all.most) return all;
  return {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}

Interval product(unsigned bytes, const Interval& a, const Interval& b) {
  const Wide al = a.least, am = a.most, bl = b.least, bm = b.most;
  return within(bytes, {al * bl, al * bm, am * bl, am * bm});
}

/// The smallest number of all ones that is not below it.
std::int64_t ones_above(std::int64_t number) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(number));
  return bits >= 63 ? INT64_MAX : static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
}

Interval shifted_right(const Instruction& i, unsigned bytes, const Interval& a, const Interval& by) {
  if (!by.single() || by.least < 0 || by.least >= static_cast<std::int64_t>(bytes) * 8) return all_of(bytes);
  if (is_signed(i.type) || a.least >= 0) return {a.least >> by.least, a.most >> by.least};
  if (by.least == 0) return all_of(bytes);
  // As an unsigned number it is anything.
  const std::uint64_t most =
      (bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1) >> by.least;
  return {0, static_cast<std::int64_t>(most)};
}

Interval divided(const Instruction& i, unsigned bytes, const Interval& a, const Interval& b) {
  if (b.least < 1 || (!is_signed(i.type) && a.least < 0)) return all_of(bytes);
  if (i.op == Opcode::rem) {
    if (a.least < 0) return all_of(bytes);
    return {0, std::min(a.most, b.most - 1)};
  }
  return within(bytes, {Wide{a.least} / b.least, Wide{a.least} / b.most, Wide{a.most} / b.least,
                        Wide{a.most} / b.most});
}

/// Of which power of two each result is a multiple.
unsigned twos_of(const Instruction& i, const Interval& a, const Interval& b, const Interval& c) {
  const unsigned both = std::min(a.twos, b.twos);
  switch (i.op) {
    case Opcode::mov:
    case Opcode::neg:
    case Opcode::abs:
      return a.twos;
    case Opcode::add:
    case Opcode::sub:
      return i.saturate ? 0 : both;
    case Opcode::mul:
    case Opcode::mad: {
      if (i.mul_mode == MulMode::hi || i.saturate || i.carry_out) return 0;
      const unsigned product = twos_of_both(a.twos, b.twos);
      return i.op == Opcode::mul ? product : std::min(product, c.twos);
    }
    case Opcode::rem:
      // Only what is a power of two divides what an unsigned number differs by from the signed one.
      return b.least >= 1 ? both : 0;
    case Opcode::div: {
      const bool known = b.single() && std::has_single_bit(static_cast<std::uint64_t>(b.least));
      if (!known || b.least < 1 || a.twos < b.twos) return 0;
      return a.twos == no_bit ? no_bit : a.twos - b.twos;
    }
    case Opcode::min:
    case Opcode::max:
    case Opcode::or_:
    case Opcode::xor_:
      return both;
    case Opcode::and_:
      return std::max(a.twos, b.twos);
    case Opcode::shl:
      return b.single() && b.least > 0 && b.least < most_twos
                 ? twos_of_both(a.twos, static_cast<unsigned>(b.least))
                 : a.twos;
    case Opcode::shr:
      if (!b.single() || b.least < 0 || a.twos == no_bit) return a.twos == no_bit ? no_bit : 0;
      return b.least < static_cast<std::int64_t>(a.twos) ? a.twos - static_cast<unsigned>(b.least) : 0;
    default:
      return 0;
  }
}

/// The ends of the result.
Interval bounds_of(const Instruction& i, unsigned bytes, const Interval& a, const Interval& b,
                   const Interval& c) {
  const Interval all = all_of(bytes);
  const auto unsigned_too = [&](const Interval& each) { return is_signed(i.type) || each.least >= 0; };
  switch (i.op) {
    case Opcode::mov:
      return a;
    case Opcode::add:
      return i.saturate ? all : within(bytes, {Wide{a.least} + b.least, Wide{a.most} + b.most});
    case Opcode::sub:
      return i.saturate ? all : within(bytes, {Wide{a.least} - b.most, Wide{a.most} - b.least});
    case Opcode::mul:
    case Opcode::mad: {
      if (i.mul_mode == MulMode::hi || i.saturate || i.carry_out) return all;
      // A product of halves as wide as the result: which numbers they are depends on their sign.
      if (i.mul_mode == MulMode::wide && !(unsigned_too(a) && unsigned_too(b))) return all;
      const Interval factor = product(bytes, a, b);
      if (i.op == Opcode::mul || factor == all) return factor;
      return within(bytes, {Wide{factor.least} + c.least, Wide{factor.most} + c.most});
    }
    case Opcode::div:
    case Opcode::rem:
      return divided(i, bytes, a, b);
    case Opcode::neg:
      return within(bytes, {-Wide{a.least}, -Wide{a.most}});
    case Opcode::abs:
      if (a.least >= 0) return a;
      return within(bytes, {Wide{0}, -Wide{a.least}, Wide{a.most} < 0 ? -Wide{a.most} : Wide{a.most}});
    case Opcode::min:
    case Opcode::max: {
      if (!unsigned_too(a) || !unsigned_too(b)) return all;
      const bool least = i.op == Opcode::min;
      return {least ? std::min(a.least, b.least) : std::max(a.least, b.least),
              least ? std::min(a.most, b.most) : std::max(a.most, b.most)};
    }
    case Opcode::and_:
      // Bits that are 0 anyway are taken away.
      if (b.single() && (~static_cast<std::uint64_t>(b.least) >> std::min(a.twos, no_bit)) == 0) return a;
      if (a.least >= 0 && b.least >= 0) return {0, std::min(a.most, b.most)};
      if (a.least >= 0) return {0, a.most};
      if (b.least >= 0) return {0, b.most};
      return all;
    case Opcode::or_:
    case Opcode::xor_:
      if (a.least < 0 || b.least < 0) return all;
      return {i.op == Opcode::or_ ? std::max(a.least, b.least) : 0, ones_above(std::max(a.most, b.most))};
    case Opcode::not_:
      return {-1 - a.most, -1 - a.least};
    case Opcode::shl:
      if (!b.single() || b.least < 0 || b.least > 62) return all;
      return product(bytes, a, {std::int64_t{1} << b.least, std::int64_t{1} << b.least});
    case Opcode::shr:
      return shifted_right(i, bytes, a, b);
    case Opcode::popc:
    case Opcode::clz:
      return {0, 64};
    default:
      return all;
  }
}

}  // namespace

Interval number_of(std::int64_t value) {
  return {value, value, twos_in(value)};
}

Interval with_twos(Interval value, unsigned twos) {
  value.twos = twos;
  if (twos >= no_bit) return {0, 0, no_bit};
  const std::int64_t step = std::int64_t{1} << twos;
  const std::int64_t below = value.most & -step, over = value.least & (step - 1);
  if (over != 0 && value.least > INT64_MAX - step) return value;
  const std::int64_t above = over == 0 ? value.least : (value.least & -step) + step;
  if (above > below) return value;  // no such number: nothing gets there, and nothing is said of it
  return above == below ? number_of(above) : Interval{above, below, twos};
}

Interval all_of(unsigned bytes) {
  if (bytes >= 8) return {INT64_MIN, INT64_MAX};
  const std::int64_t half = std::int64_t{1} << (8 * std::max(bytes, 1U) - 1);
  return {-half, half - 1};
}

Interval joined(const Interval& a, const Interval& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.least, b.least), std::max(a.most, b.most), std::min(a.twos, b.twos)};
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

bool is_integer(Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::b16:
    case Type::u16:
    case Type::b32:
    case Type::u32:
    case Type::b64:
    case Type::u64:
      return true;
    default:
      return is_signed(type);
  }
}

Interval result_of(const Instruction& i, unsigned bytes, const Interval& a, const Interval& b,
                   const Interval& c) {
  return with_twos(bounds_of(i, bytes, a, b, c), twos_of(i, a, b, c));
}

std::optional<bool> compared(Compare compare, Type type, const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  // A single number's own: its interval may have come about without them.
  const auto none_of = [](const Interval& many, const Interval& one) {
    return one.single() && !many.single() && twos_in(one.least) < many.twos;
  };
  const bool apart = a.most < b.least || b.most < a.least || none_of(a, b) || none_of(b, a);
  const bool same = a.single() && b.single() && a.least == b.least;
  // Numbers of one sign are in the same order either way.
  const bool unsigned_compare = compare == Compare::lo || compare == Compare::ls || compare == Compare::hi ||
                                compare == Compare::hs || !is_signed(type);
  const bool ordered = !unsigned_compare || (a.least >= 0 && b.least >= 0) || (a.most < 0 && b.most < 0);
  const auto decided = [&](bool yes, bool no) -> std::optional<bool> {
    if (!ordered || yes == no) return std::nullopt;
    return yes;
  };
  switch (compare) {
    case Compare::eq:
    case Compare::ne:
      if (!apart && !same) return std::nullopt;
      return same == (compare == Compare::eq);
    case Compare::lt:
    case Compare::lo:
      return decided(a.most < b.least, a.least >= b.most);
    case Compare::le:
    case Compare::ls:
      return decided(a.most <= b.least, a.least > b.most);
    case Compare::gt:
    case Compare::hi:
      return decided(a.least > b.most, a.most <= b.least);
    case Compare::ge:
    case Compare::hs:
      return decided(a.least >= b.most, a.most < b.least);
    default:
      return std::nullopt;
  }
}

}  // namespace evo::evaluators::virtual_device::ptx
