#include "packs/attention/row_tiles.hpp"

#include <algorithm>
#include <array>
#include <cstring>

// Two versions each, of which the loader takes the one for this processor. Both multiply and add apart, with
// the same bits.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(EVO_SANITIZE_ADDRESS) && !defined(EVO_SANITIZE_THREAD)
#define EVO_FOR_AVX2_TOO [[gnu::target_clones("avx2", "default")]]
#else
#define EVO_FOR_AVX2_TOO
#endif

namespace evo::packs::attention {
namespace {

/// Half of a panel, in one register where there is AVX.
typedef double Lanes __attribute__((vector_size(32)));
constexpr std::int64_t lane_count = panel_keys / 2;

[[gnu::always_inline]] inline void load(Lanes& lanes, const double* from) {
  std::memcpy(&lanes, from, sizeof lanes);
}
[[gnu::always_inline]] inline void store(double* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// sums[r] += factors[r][i * stride] * (panel_keys numbers at data + i * step), for i in [0, count).
template <std::size_t rows>
[[gnu::always_inline]] inline void multiply_add(const std::array<const double*, rows>& factors,
                                                const double* data, std::int64_t step, std::int64_t count,
                                                std::array<Lanes, rows>& low, std::array<Lanes, rows>& high) {
  for (std::int64_t i = 0; i < count; ++i) {
    Lanes first, second;
    load(first, data + i * step);
    load(second, data + i * step + lane_count);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows; ++r) {
      low[r] += factors[r][i] * first;
      high[r] += factors[r][i] * second;
    }
  }
}

template <std::size_t rows>
[[gnu::always_inline]] inline void score_rows(std::span<const double* const> queries, const double* keys,
                                              std::int64_t dim, std::int64_t panels,
                                              std::span<double* const> scores) {
  std::array<const double*, rows> factors;
  std::copy_n(queries.begin(), rows, factors.begin());
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    std::array<Lanes, rows> low{}, high{};
    multiply_add<rows>(factors, keys + panel * dim * panel_keys, panel_keys, dim, low, high);
    for (std::size_t r = 0; r < rows; ++r) {
      store(scores[r] + panel * panel_keys, low[r]);
      store(scores[r] + panel * panel_keys + lane_count, high[r]);
    }
  }
}

/// Values that stay in the first cache while all their columns are added.
constexpr std::int64_t tile_values = 64;

template <std::size_t rows>
[[gnu::always_inline]] inline void add_rows(std::span<const double* const> weights, const double* values,
                                            std::int64_t width, std::int64_t from, std::int64_t to,
                                            std::span<double* const> out) {
  for (std::int64_t begin = from; begin < to; begin += tile_values) {
    const std::int64_t count = std::min(tile_values, to - begin);
    std::array<const double*, rows> factors;
    for (std::size_t r = 0; r < rows; ++r) factors[r] = weights[r] + begin;
    for (std::int64_t d = 0; d < width; d += panel_keys) {
      std::array<Lanes, rows> low, high;
      for (std::size_t r = 0; r < rows; ++r) {
        load(low[r], out[r] + d);
        load(high[r], out[r] + d + lane_count);
      }
      multiply_add<rows>(factors, values + begin * width + d, width, count, low, high);
      for (std::size_t r = 0; r < rows; ++r) {
        store(out[r] + d, low[r]);
        store(out[r] + d + lane_count, high[r]);
      }
    }
  }
}

}  // namespace

EVO_FOR_AVX2_TOO
void score_tile(std::span<const double* const> queries, const double* keys, std::int64_t dim,
                std::int64_t panels, std::span<double* const> scores) {
  switch (queries.size()) {
    case 1:
      return score_rows<1>(queries, keys, dim, panels, scores);
    case 2:
      return score_rows<2>(queries, keys, dim, panels, scores);
    case 3:
      return score_rows<3>(queries, keys, dim, panels, scores);
    default:
      return score_rows<tile_rows>(queries, keys, dim, panels, scores);
  }
}

EVO_FOR_AVX2_TOO
void add_weighted_tile(std::span<const double* const> weights, const double* values, std::int64_t width,
                       std::int64_t from, std::int64_t to, std::span<double* const> out) {
  switch (weights.size()) {
    case 1:
      return add_rows<1>(weights, values, width, from, to, out);
    case 2:
      return add_rows<2>(weights, values, width, from, to, out);
    case 3:
      return add_rows<3>(weights, values, width, from, to, out);
    default:
      return add_rows<tile_rows>(weights, values, width, from, to, out);
  }
}

}  // namespace evo::packs::attention
