// The multiplications. Included by matrix_portable.cpp and matrix_avx2.cpp, which are compiled for different
// instruction sets.
//
// Everything is a multiplication of tiles with M rows of A (8 or 16) and 8 columns of B; those of wmma are
// two.

#include <cstring>
#include <limits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/semantics/matrix_form.hpp"
#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {
namespace {

constexpr unsigned columns = 8;
constexpr unsigned slot_words = 32;

#ifdef __AVX2__
constexpr unsigned vector_bytes = 32;
#else
constexpr unsigned vector_bytes = 16;
#endif
using Doubles [[gnu::vector_size(vector_bytes)]] = double;
constexpr unsigned vector_doubles = vector_bytes / sizeof(double);

/// Registers of one tile.
struct Tile {
  const std::byte* const* a;
  const std::byte* const* b;
  const std::byte* const* c;
  std::byte* const* d;
};

/// One register: 32 words or 64 halves to doubles, in order.
[[gnu::always_inline]] inline void expand(Type type, const std::byte* slot, double* out) {
  alignas(64) std::uint32_t words[slot_words];
  std::memcpy(words, slot, sizeof words);
  if (type == Type::tf32) {
    for (unsigned k = 0; k < slot_words; ++k) out[k] = f32_of(words[k] & 0xffffe000U);
    return;
  }
  if (type == Type::f32) {
    for (unsigned k = 0; k < slot_words; ++k) out[k] = f32_of(words[k]);
    return;
  }
  if (type == Type::bf16) {
    for (unsigned k = 0; k < slot_words; ++k) {
      out[2 * k] = f32_of(words[k] << 16);
      out[2 * k + 1] = f32_of(words[k] & 0xffff0000U);
    }
    return;
  }
#ifdef __F16C__
  for (unsigned k = 0; k < slot_words; k += 2) {
    const __m128 four = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(words + k)));
    _mm256_storeu_pd(out + 2 * k, _mm256_cvtps_pd(four));
  }
#else
  for (unsigned k = 0; k < slot_words; ++k) {
    out[2 * k] = to_f32(Half{words[k] & 0xffffU});
    out[2 * k + 1] = to_f32(Half{words[k] >> 16});
  }
#endif
}

/// Toward zero; infinity only from 2^128 on.
[[gnu::always_inline]] inline float truncate(double value) {
  const std::uint64_t kept = bits_of(value) & ~((std::uint64_t{1} << 29) - 1);
  return canonical(static_cast<float>(f64_of(kept)));
}
/// To nearest even, from all bits of the sum: what f32 would lose stays as its odd last bit.
[[gnu::always_inline]] inline Half nearest_half(double value) {
  constexpr std::uint64_t lost = (std::uint64_t{1} << 29) - 1;
  const std::uint64_t bits = bits_of(value);
  const std::uint64_t sticky = (bits & lost) != 0 ? lost + 1 : 0;
  return to_half(static_cast<float>(f64_of((bits & ~lost) | sticky)));
}

/// sums[row][column] += A's row . B's column, products exact, k ascending.
template <unsigned K>
[[gnu::always_inline]] inline void accumulate(const double (*a)[K], const double (*b)[columns],
                                              double (*sums)[columns]) {
  constexpr unsigned rows_at_once = 4;
  constexpr unsigned vectors = columns / vector_doubles;
  for (unsigned row = 0; row < 16; row += rows_at_once) {
    Doubles sum[rows_at_once][vectors] = {};
    for (unsigned k = 0; k < K; ++k) {
      Doubles of_b[vectors];
      std::memcpy(of_b, b[k], sizeof of_b);
      for (unsigned r = 0; r < rows_at_once; ++r) {
        const double of_a = a[row + r][k];
        for (unsigned v = 0; v < vectors; ++v) {
#ifdef __FMA__
          sum[r][v] = _mm256_fmadd_pd(_mm256_set1_pd(of_a), of_b[v], sum[r][v]);
#else
          sum[r][v] += of_a * of_b[v];
#endif
        }
      }
    }
    for (unsigned r = 0; r < rows_at_once; ++r) std::memcpy(sums[row + r], sum[r], sizeof sum[r]);
  }
}

/// The accumulator of 16 rows, plain.
[[gnu::always_inline]] inline void add_accumulator(Type type, const std::byte* const* c,
                                                   double (*sums)[columns]) {
  alignas(64) double values[2][2 * slot_words];
  for (unsigned half = 0; half < 2; ++half) {
    if (type == Type::f16) {
      expand(type, c[half], values[0]);
      for (unsigned k = 0; k < 64; ++k) sums[half * 8 + k / 8][k % 8] += values[0][k];
      continue;
    }
    expand(type, c[2 * half], values[0]);
    expand(type, c[2 * half + 1], values[1]);
    for (unsigned k = 0; k < slot_words; ++k) {
      sums[half * 8 + k / 4][k % 4 * 2] += values[0][k];
      sums[half * 8 + k / 4][k % 4 * 2 + 1] += values[1][k];
    }
  }
}

[[gnu::always_inline]] inline void store_accumulator(Type type, const double (*sums)[columns],
                                                     std::byte* const* d) {
  alignas(64) std::uint32_t words[2][slot_words];
  for (unsigned half = 0; half < 2; ++half) {
    const double* values = sums[half * 8];
    if (type == Type::f16) {
      for (unsigned k = 0; k < slot_words; ++k) {
        words[0][k] = nearest_half(values[2 * k]).bits | nearest_half(values[2 * k + 1]).bits << 16;
      }
      std::memcpy(d[half], words[0], sizeof words[0]);
      continue;
    }
    alignas(64) float rounded[2 * slot_words];
    for (unsigned k = 0; k < 2 * slot_words; ++k) rounded[k] = truncate(values[k]);
    for (unsigned k = 0; k < slot_words; ++k) {
      words[0][k] = bits_of(rounded[2 * k]);
      words[1][k] = bits_of(rounded[2 * k + 1]);
    }
    std::memcpy(d[2 * half], words[0], sizeof words[0]);
    std::memcpy(d[2 * half + 1], words[1], sizeof words[1]);
  }
}

/// 16 x 8 x K with floating operands, types known at compile time.
template <Type In, unsigned K, Type C, Type D>
void float_tile(const Tile& tile) {
  constexpr unsigned in_row = 16 / size_of(In);  ///< elements of a tile's row
  alignas(64) double a[16][K];
  alignas(64) double b[K][columns];
  alignas(64) double sums[16][columns];
  alignas(64) double slot[columns * in_row];
  for (unsigned step = 0; step < K / in_row; ++step) {
    for (unsigned half = 0; half < 2; ++half) {
      expand(In, tile.a[2 * step + half], slot);
      for (unsigned row = 0; row < 8; ++row) {
        std::memcpy(&a[half * 8 + row][step * in_row], slot + row * in_row, in_row * sizeof(double));
      }
    }
    expand(In, tile.b[step], slot);
    for (unsigned k = 0; k < in_row; ++k) {
      for (unsigned column = 0; column < columns; ++column)
        b[step * in_row + k][column] = slot[column * in_row + k];
    }
  }
  accumulate<K>(a, b, sums);
  add_accumulator(C, tile.c, sums);
  store_accumulator(D, sums, tile.d);
}

[[gnu::always_inline]] inline void expand_bytes(bool is_signed, const std::byte* slot, std::int16_t* out) {
  for (unsigned k = 0; k < 128; ++k) {
    const auto byte = static_cast<std::uint8_t>(slot[k]);
    out[k] = is_signed ? static_cast<std::int16_t>(static_cast<std::int8_t>(byte))
                       : static_cast<std::int16_t>(byte);
  }
}

/// M x 8 x K with 8-bit integers.
template <unsigned M, unsigned K>
[[gnu::always_inline]] inline void byte_tile(const Instruction& instruction, const Tile& tile) {
  const bool a_signed = instruction.matrix.a == Type::s8;
  const bool b_signed = instruction.matrix.b == Type::s8;
  alignas(64) std::int16_t slot[128];
  alignas(64) std::int16_t a[M][K];
  alignas(64) std::int16_t b[columns][K];
  constexpr unsigned halves = M / 8;
  for (unsigned step = 0; step < K / 16; ++step) {
    for (unsigned half = 0; half < halves; ++half) {
      expand_bytes(a_signed, tile.a[halves * step + half], slot);
      for (unsigned row = 0; row < 8; ++row) std::memcpy(&a[half * 8 + row][step * 16], slot + row * 16, 32);
    }
    expand_bytes(b_signed, tile.b[step], slot);
    for (unsigned column = 0; column < columns; ++column)
      std::memcpy(&b[column][step * 16], slot + column * 16, 32);
  }
  // All of C is read before any of D is written.
  alignas(64) std::int32_t words[2 * halves][slot_words];
  for (unsigned reg = 0; reg < 2 * halves; ++reg) std::memcpy(words[reg], tile.c[reg], sizeof words[reg]);
  for (unsigned row = 0; row < M; ++row) {
    for (unsigned column = 0; column < columns; ++column) {
      std::int32_t sum = 0;
      for (unsigned k = 0; k < K; ++k) sum += std::int32_t{a[row][k]} * b[column][k];
      std::int32_t& word = words[row / 8 * 2 + column % 2][row % 8 * 4 + column / 2];
      const std::int64_t exact = std::int64_t{word} + sum;
      word = static_cast<std::int32_t>(exact);
      if (instruction.saturate && exact != word) {
        word =
            exact < 0 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int32_t>::max();
      }
    }
  }
  for (unsigned reg = 0; reg < 2 * halves; ++reg) std::memcpy(tile.d[reg], words[reg], sizeof words[reg]);
}

/// The one or two tiles of a fragment.
template <class F>
[[gnu::always_inline]] inline void for_each_tile(const Instruction& instruction, const MatrixOperands& o,
                                                 F multiply) {
  const MatrixForm& form = instruction.matrix;
  if (!is_wmma(form.shape)) return multiply(Tile{o.a.data(), o.b.data(), o.c.data(), o.d.data()});
  const unsigned of_c = distinct_registers(form.shape, MatrixRole::accumulator, form.c) / 2;
  const unsigned of_d = distinct_registers(form.shape, MatrixRole::accumulator, form.d) / 2;
  const unsigned half_a = distinct_registers(form.shape, MatrixRole::a, form.a) / 2;
  const unsigned half_b = distinct_registers(form.shape, MatrixRole::b, form.b) / 2;
  // The second tile must not read what the first has written.
  alignas(64) std::byte later[max_fragment][slot_words * 4];
  std::array<const std::byte*, max_fragment> c = o.c;
  for (unsigned k = of_c; k < 2 * of_c; ++k) {
    std::memcpy(later[k], o.c[k], sizeof later[k]);
    c[k] = later[k];
  }
  std::array<const std::byte*, max_fragment> a = o.a, b = o.b;
  const auto shares = [&](const std::byte* source) {
    for (unsigned k = 0; k < of_d; ++k) {
      if (o.d[k] == source) return true;
    }
    return false;
  };
  alignas(64) std::byte kept[2][max_fragment][slot_words * 4];
  for (unsigned k = 0; k < max_fragment; ++k) {
    if (a[k] != nullptr && shares(a[k])) std::memcpy(kept[0][k], a[k], sizeof kept[0][k]), a[k] = kept[0][k];
    if (b[k] != nullptr && shares(b[k])) std::memcpy(kept[1][k], b[k], sizeof kept[1][k]), b[k] = kept[1][k];
  }
  unsigned a_step = 0, b_step = 0;
  const bool swapped = form.shape == MatrixShape::m8n32k16;
  if (form.shape == MatrixShape::m32n8k16) {
    a_step = half_a;
  } else {
    b_step = half_b;
  }
  for (unsigned which = 0; which < 2; ++which) {
    const std::byte* const* of_a = a.data() + which * a_step;
    const std::byte* const* of_b = b.data() + which * b_step;
    multiply(Tile{swapped ? of_b : of_a, swapped ? of_a : of_b, c.data() + which * of_c,
                  o.d.data() + which * of_d});
  }
}

template <Type In, unsigned K, Type C, Type D>
void multiply_floats(const Instruction& instruction, const MatrixOperands& operands) {
  for_each_tile(instruction, operands, [](const Tile& tile) { float_tile<In, K, C, D>(tile); });
}
template <unsigned M, unsigned K>
void multiply_bytes(const Instruction& instruction, const MatrixOperands& operands) {
  for_each_tile(instruction, operands, [&](const Tile& tile) { byte_tile<M, K>(instruction, tile); });
}

template <unsigned K>
MatrixMultiply select_halves(const MatrixForm& form) {
  if (form.c == Type::f16) {
    return form.d == Type::f16 ? &multiply_floats<Type::f16, K, Type::f16, Type::f16>
                               : &multiply_floats<Type::f16, K, Type::f16, Type::f32>;
  }
  return form.d == Type::f16 ? &multiply_floats<Type::f16, K, Type::f32, Type::f16>
                             : &multiply_floats<Type::f16, K, Type::f32, Type::f32>;
}

MatrixMultiply select_multiply(const Instruction& instruction) {
  const MatrixForm& form = instruction.matrix;
  const unsigned k = extents_of(form.shape).k;
  switch (form.a) {
    case Type::f16:
      // 32: of wgmma with 8-bit floats.
      return k == 8 ? select_halves<8>(form) : k == 16 ? select_halves<16>(form) : select_halves<32>(form);
    case Type::bf16:
      return k == 8 ? &multiply_floats<Type::bf16, 8, Type::f32, Type::f32>
                    : &multiply_floats<Type::bf16, 16, Type::f32, Type::f32>;
    case Type::tf32:
      return k == 4 ? &multiply_floats<Type::tf32, 4, Type::f32, Type::f32>
                    : &multiply_floats<Type::tf32, 8, Type::f32, Type::f32>;
    case Type::s8:
    case Type::u8:
      if (form.shape == MatrixShape::m8n8k16) return &multiply_bytes<8, 16>;
      return k == 16 ? &multiply_bytes<16, 16> : &multiply_bytes<16, 32>;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
