#include "evaluators/oracle/fast_pass.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::DType;

// Widening without branches, so that the loops become vector code. Infinities and NaNs are told apart by
// their bits, since the arithmetic does not keep them.
double widen(DType dtype, std::uint32_t bits) {
  if (dtype == DType::f32) return double{std::bit_cast<float>(bits)};
  if (dtype == DType::bf16) return double{std::bit_cast<float>(bits << 16)};
  // A half's exponent and mantissa, read as a float's, are 2^112 too small; that holds for subnormals too.
  const float magnitude = std::bit_cast<float>((bits & 0x7fffU) << 13) * 0x1p112F;
  return double{std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (bits & 0x8000U) << 16)};
}

constexpr std::uint32_t exponent_mask(DType dtype) {
  return dtype == DType::f16 ? 0x7c00U : dtype == DType::bf16 ? 0x7f80U : 0x7f800000U;
}

constexpr std::size_t lanes = 8;

/// Partial sums, one for each lane, so that the order of summation is fixed and yet wide.
struct Partial {
  std::array<double, lanes> errors{}, references{}, largest{};
  std::uint32_t bad = 0;  ///< an element that is not finite, or is off and holds the poison
};

/// `poison`: what the poison makes of an even and of an odd element of the row.
template <DType dtype, class Word>
void add_row(const std::byte* actual, const double* reference, std::size_t count,
             std::array<std::uint32_t, 2> poison, std::uint32_t poisoned, Partial& sums) {
  const auto add = [&](std::size_t i, std::size_t lane) {
    Word word;
    std::memcpy(&word, actual + i * sizeof(Word), sizeof word);
    const std::uint32_t bits = word;
    const double error = std::abs(widen(dtype, bits) - reference[i]);
    const auto infinite = static_cast<std::uint32_t>((bits & exponent_mask(dtype)) == exponent_mask(dtype));
    const auto stale =
        static_cast<std::uint32_t>(bits == poison[i & 1]) & poisoned & static_cast<std::uint32_t>(error > 0);
    sums.bad |= infinite | stale;
    sums.errors[lane] += error * error;
    sums.references[lane] += reference[i] * reference[i];
    sums.largest[lane] = error > sums.largest[lane] ? error : sums.largest[lane];
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(i + lane, lane);
  }
  for (; i < count; ++i) add(i, i % lanes);
}

bool equals_rounded(DType dtype, const std::byte* actual, const double* reference, std::size_t count,
                    std::size_t size) {
  std::array<std::byte, 8> rounded{};
  for (std::size_t i = 0; i < count; ++i) {
    store_element(dtype, reference[i], rounded.data());
    if (std::memcmp(rounded.data(), actual + i * size, size) != 0) return false;
  }
  return true;
}

bool gaps_untouched(const model::BoundArgument& argument, std::span<const std::byte> actual,
                    std::uint32_t poison) {
  // No two elements of an output share a place, so as many as the extent leave no gap.
  if (element_count(argument) * model::size_of(argument.dtype) == buffer_bytes(argument)) return true;
  const std::vector<bool> addressed = addressed_elements(argument);
  const auto size = static_cast<std::size_t>(model::size_of(argument.dtype));
  for (std::size_t element = 0; element < addressed.size(); ++element) {
    if (addressed[element]) continue;
    for (std::size_t at = element * size; at < (element + 1) * size; ++at) {
      if (actual[at] != static_cast<std::byte>((poison >> (8 * (at % 4))) & 0xff)) return false;
    }
  }
  return true;
}

template <DType dtype, class Word>
void survey_row(const std::byte* first, std::size_t count, std::array<std::uint32_t, 2> poison,
                std::uint32_t poisoned, Survey& survey) {
  std::int64_t unwritten = 0, infinite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, first + i * sizeof(Word), sizeof word);
    const std::uint32_t bits = word;
    const std::uint32_t stale = static_cast<std::uint32_t>(bits == poison[i & 1]) & poisoned;
    unwritten += stale;
    infinite +=
        static_cast<std::uint32_t>((bits & exponent_mask(dtype)) == exponent_mask(dtype)) & ~stale & 1U;
  }
  survey.unwritten += unwritten;
  survey.non_finite += infinite;
}

/// What the poison makes of the row's even and odd elements of two bytes.
std::array<std::uint32_t, 2> halves_of(std::uint32_t pattern, const Row& row) {
  if (row.offset % 2 != 0) return {pattern >> 16, pattern & 0xffff};
  return {pattern & 0xffff, pattern >> 16};
}

}  // namespace

Survey survey_elements(const model::BoundArgument& argument, std::span<const std::byte> actual,
                       std::optional<std::uint32_t> poison) {
  Survey survey;
  const auto size = static_cast<std::size_t>(model::size_of(argument.dtype));
  const std::uint32_t pattern = poison.value_or(0), poisoned = poison ? 1 : 0;
  for (const Row& row : rows_of(argument)) {
    const std::byte* first = actual.data() + static_cast<std::size_t>(row.offset) * size;
    const auto count = static_cast<std::size_t>(row.count);
    switch (argument.dtype) {
      case DType::f16:
        survey_row<DType::f16, std::uint16_t>(first, count, halves_of(pattern, row), poisoned, survey);
        break;
      case DType::bf16:
        survey_row<DType::bf16, std::uint16_t>(first, count, halves_of(pattern, row), poisoned, survey);
        break;
      case DType::f32:
        survey_row<DType::f32, std::uint32_t>(first, count, {pattern, pattern}, poisoned, survey);
        break;
      default:
        for (std::size_t i = 0; i < count; ++i) {
          bool stale = poison.has_value();
          for (std::size_t b = 0; b < size; ++b) {
            const std::size_t at = (static_cast<std::size_t>(row.offset) + i) * size + b;
            stale = stale && actual[at] == static_cast<std::byte>((pattern >> (8 * (at % 4))) & 0xff);
          }
          if (stale) {
            ++survey.unwritten;
          } else if (!std::isfinite(load_element(argument.dtype, first + i * size))) {
            ++survey.non_finite;
          }
        }
    }
  }
  return survey;
}

std::optional<PassSums> pass_sums(const model::BoundArgument& argument, std::span<const std::byte> actual,
                                  std::span<const double> reference, bool exact,
                                  std::optional<std::uint32_t> poison) {
  const DType dtype = argument.dtype;
  if (dtype != DType::f16 && dtype != DType::bf16 && dtype != DType::f32) return std::nullopt;
  const auto size = static_cast<std::size_t>(model::size_of(dtype));
  Partial sums;
  for (const Row& row : rows_of(argument)) {
    const std::byte* first = actual.data() + static_cast<std::size_t>(row.offset) * size;
    const double* expected = reference.data() + row.first;
    const auto count = static_cast<std::size_t>(row.count);
    const std::uint32_t pattern = poison.value_or(0);
    const std::uint32_t poisoned = poison ? 1 : 0;
    const std::array<std::uint32_t, 2> halves = halves_of(pattern, row);
    switch (dtype) {
      case DType::f16:
        add_row<DType::f16, std::uint16_t>(first, expected, count, halves, poisoned, sums);
        break;
      case DType::bf16:
        add_row<DType::bf16, std::uint16_t>(first, expected, count, halves, poisoned, sums);
        break;
      default:
        add_row<DType::f32, std::uint32_t>(first, expected, count, {pattern, pattern}, poisoned, sums);
    }
    if (sums.bad != 0) return std::nullopt;
    if (exact && !equals_rounded(dtype, first, expected, count, size)) return std::nullopt;
  }
  if (poison && !gaps_untouched(argument, actual, *poison)) return std::nullopt;
  PassSums total;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    total.error_squares += sums.errors[lane];
    total.reference_squares += sums.references[lane];
    total.largest_error = std::max(total.largest_error, sums.largest[lane]);
  }
  // A reference that is not finite shows here: nothing passes by a NaN.
  if (!std::isfinite(total.error_squares) || !std::isfinite(total.reference_squares)) return std::nullopt;
  return total;
}

}  // namespace evo::evaluators::oracle
