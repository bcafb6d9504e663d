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

constexpr std::size_t lanes = 8;

/// Partial sums, one for each lane, so that the order of summation is fixed and yet wide.
struct Partial {
  std::array<double, lanes> errors{}, references{}, largest{};
  std::uint32_t bad = 0;  ///< an element that is not finite, or is off and holds the poison
};

constexpr std::uint32_t exponent_mask(DType dtype) {
  return dtype == DType::f16 ? 0x7c00U : dtype == DType::bf16 ? 0x7f80U : 0x7f800000U;
}

/// `count` elements of one type, on which the compiler's operators work side by side.
template <class T, std::size_t count>
using Vector [[gnu::vector_size(count * sizeof(T))]] = T;

/// Widening without branches. Infinities and NaNs are told apart by their bits, since the arithmetic does not
/// keep them.
template <DType dtype, std::size_t width>
[[gnu::always_inline]] inline void widen(const Vector<std::uint32_t, width>& bits,
                                         Vector<double, width>& values) {
  using Floats = Vector<float, width>;
  using Words = Vector<std::uint32_t, width>;
  Floats narrow;
  if constexpr (dtype == DType::f32) {
    narrow = std::bit_cast<Floats>(bits);
  } else if constexpr (dtype == DType::bf16) {
    narrow = std::bit_cast<Floats>(bits << 16);
  } else {
    // A half's exponent and mantissa, read as a float's, are 2^112 too small; that holds for subnormals too.
    const Floats magnitude = std::bit_cast<Floats>((bits & 0x7fffU) << 13) * 0x1p112F;
    narrow = std::bit_cast<Floats>(std::bit_cast<Words>(magnitude) | (bits & 0x8000U) << 16);
  }
  values = __builtin_convertvector(narrow, Vector<double, width>);
}

/// What the poison makes of an even and of an odd element of a row; `asked`: all ones, or 0 where there is
/// none.
struct Poison {
  std::array<std::uint32_t, 2> elements{};
  std::uint32_t asked = 0;
};

/// The part of a row that fills all lanes, `width` of them at a time. The sums are those of one element after
/// the other, bit for bit: each lane adds its own, and nothing is fused.
template <DType dtype, class Word, std::size_t width>
[[gnu::always_inline]] inline void add_whole(const std::byte* actual, const double* reference,
                                             std::size_t count, const Poison& poison, Partial& sums) {
  using Doubles = Vector<double, width>;
  using Bits = Vector<std::uint32_t, width>;
  using Elements = Vector<Word, width>;
  constexpr std::size_t parts = lanes / width;
  // In registers: a store to the sums could be one to the bytes that are read.
  struct Lanes {
    Doubles errors, references, largest;
  };
  std::array<Lanes, parts> all;
  for (std::size_t part = 0; part < parts; ++part) {
    std::memcpy(&all[part].errors, &sums.errors[part * width], sizeof(Doubles));
    std::memcpy(&all[part].references, &sums.references[part * width], sizeof(Doubles));
    std::memcpy(&all[part].largest, &sums.largest[part * width], sizeof(Doubles));
  }
  Bits bad{}, stale_bits{};
  for (std::size_t k = 0; k < width; ++k) stale_bits[k] = poison.elements[k & 1];
  for (std::size_t i = 0; i + lanes <= count; i += lanes) {
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t at = i + part * width;
      Elements elements;
      std::memcpy(&elements, actual + at * sizeof(Word), sizeof elements);
      const Bits bits = __builtin_convertvector(elements, Bits);
      Doubles wanted;
      std::memcpy(&wanted, reference + at, sizeof wanted);
      Doubles values;
      widen<dtype, width>(bits, values);
      const Doubles difference = values - wanted;
      const Doubles error = difference < 0 ? -difference : difference;
      const auto infinite = std::bit_cast<Bits>((bits & exponent_mask(dtype)) == exponent_mask(dtype));
      const auto stale = std::bit_cast<Bits>(bits == stale_bits) & poison.asked;
      bad |= infinite | (stale & __builtin_convertvector(error > 0, Bits));
      all[part].errors += error * error;
      all[part].references += wanted * wanted;
      all[part].largest = error > all[part].largest ? error : all[part].largest;
    }
  }
  for (std::size_t part = 0; part < parts; ++part) {
    std::memcpy(&sums.errors[part * width], &all[part].errors, sizeof(Doubles));
    std::memcpy(&sums.references[part * width], &all[part].references, sizeof(Doubles));
    std::memcpy(&sums.largest[part * width], &all[part].largest, sizeof(Doubles));
  }
  for (std::size_t k = 0; k < width; ++k) sums.bad |= bad[k];
}

#if defined(__x86_64__) && defined(__GNUC__)
/// For processors with AVX2, which most hosts of a GPU have.
template <DType dtype, class Word>
[[gnu::target("avx2")]] void add_with_avx2(const std::byte* actual, const double* reference,
                                           std::size_t count, const Poison& poison, Partial& sums) {
  add_whole<dtype, Word, 4>(actual, reference, count, poison, sums);
}

bool have_avx2() {
  static const bool have = __builtin_cpu_supports("avx2") != 0;
  return have;
}
#endif

template <DType dtype, class Word>
void add_row(const std::byte* actual, const double* reference, std::size_t count, const Poison& poison,
             Partial& sums) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (have_avx2()) {
    add_with_avx2<dtype, Word>(actual, reference, count, poison, sums);
  } else {
    add_whole<dtype, Word, 2>(actual, reference, count, poison, sums);
  }
#else
  add_whole<dtype, Word, 2>(actual, reference, count, poison, sums);
#endif
  // What is left of the row, padded: a zero that should be zero adds nothing.
  const std::size_t whole = count / lanes * lanes;
  if (whole == count) return;
  std::array<Word, lanes> elements{};
  std::array<double, lanes> wanted{};
  std::memcpy(elements.data(), actual + whole * sizeof(Word), (count - whole) * sizeof(Word));
  std::copy(reference + whole, reference + count, wanted.begin());
  add_whole<dtype, Word, 2>(reinterpret_cast<const std::byte*>(elements.data()), wanted.data(), lanes, poison,
                            sums);
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
    const std::uint32_t asked = poison ? ~0U : 0;
    const Poison halves{halves_of(pattern, row), asked};
    switch (dtype) {
      case DType::f16:
        add_row<DType::f16, std::uint16_t>(first, expected, count, halves, sums);
        break;
      case DType::bf16:
        add_row<DType::bf16, std::uint16_t>(first, expected, count, halves, sums);
        break;
      default:
        add_row<DType::f32, std::uint32_t>(first, expected, count, {{pattern, pattern}, asked}, sums);
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
