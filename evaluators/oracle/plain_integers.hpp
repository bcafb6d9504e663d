// Integers that nobody says more of (no fill): what a plain set draws, and the structured sets that look for
// what hides there: values cut to fewer bits, a sign that is lost, order and equality among neighbours.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {

/// Kinds of the structured sets of such an argument of `dtype`: some of the patterns of patterns.hpp, and
/// - `wide`      as large as the type holds (64 bits: 2^52) where all judged outputs are integers, too; with
///               floating-point ones so that the sum of all elements stays below 2^30, but at least 100;
/// - `extremes`  the ends of that range and their neighbours, 0, 1 and -1, nothing else;
/// - `bits`      any bits of the type, for words whose fields are taken apart (packed_words.hpp), where a
///               judged output is a floating-point number;
/// - `high`      in the upper half of what `wide` draws above 0;
/// - `low`       in the lower half of what it draws below 0 (types with a sign);
/// - `top`       the largest three of what `wide` draws;
/// - `bottom`    the least three (types with a sign);
/// - `negative`  below 0 (types with a sign);
/// - `ties`      three numbers only.
[[nodiscard]] std::span<const std::string_view> plain_integer_kinds(model::DType dtype);
/// Is `bits` for such an argument? Of 16 bits and fewer the low ones matter to a sum, too.
[[nodiscard]] bool may_hold_words(model::DType dtype);

/// Replaces the draft of argument `index` of the case: -100 to 100, 0 to 200 without a sign, truth values
/// both ways, or what the set's kind makes of them where it means this argument: by its parameter `argument`,
/// or, for the four kinds above, without one.
void draw_plain_integers(const model::Case& bound, std::size_t index, const model::InputSet& set,
                         model::RandomStream stream, std::vector<double>& values);

/// Gives integers of 64 bits of `wide` and `bits` beyond 2^53, which a draft holds the upper bits of, low
/// ones as well, where the answer comes from a kernel; of `matches` one in four, so that most pairs stay
/// equal and others differ by less than a double does. `bytes` is the argument's buffer.
void draw_low_bits(const model::Case& bound, std::size_t index, const model::InputSet& set,
                   model::RandomStream stream, std::vector<std::byte>& bytes);

/// Those of `integers` that `count` elements of argument `index` may be without a sum that overflows: up to
/// 2^20, and what `wide` may draw. For a type without a sign, of a negative one what its low 32 bits are.
[[nodiscard]] std::vector<double> integers_that_fit(const model::Case& bound, std::size_t index,
                                                    const std::vector<double>& integers, std::size_t count);
/// Those that the type holds; of negative ones likewise.
[[nodiscard]] std::vector<double> integers_of_type(model::DType dtype, const std::vector<double>& integers);

}  // namespace evo::evaluators::oracle
