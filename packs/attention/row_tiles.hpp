// The two products of attention in fp64, a few rows of one head at a time: a key or value that was loaded
// counts for all of them. Each sum is added in the order of its index, whatever the processor and however
// many rows there are, so that a row has the same bits alone and among others.
#pragma once

#include <cstdint>
#include <span>

namespace evo::packs::attention {

/// Rows that are computed together.
inline constexpr std::size_t tile_rows = 4;
/// Keys that lie side by side: packed keys are panels of [dim][panel_keys], the last one filled up.
inline constexpr std::int64_t panel_keys = 8;

[[nodiscard]] constexpr std::int64_t padded(std::int64_t count) {
  return (count + panel_keys - 1) / panel_keys * panel_keys;
}

/// scores[r][j] = sum over d of queries[r][d] * key j's d, for the keys of the first `panels` panels. At
/// most tile_rows rows.
void score_tile(std::span<const double* const> queries, const double* keys, std::int64_t dim,
                std::int64_t panels, std::span<double* const> scores);

/// out[r][d] += sum over j in [from, to) of weights[r][j] * values[j][d]. Rows of `values` and `out` have
/// `width` numbers, a multiple of panel_keys. At most tile_rows rows.
void add_weighted_tile(std::span<const double* const> weights, const double* values, std::int64_t width,
                       std::int64_t from, std::int64_t to, std::span<double* const> out);

}  // namespace evo::packs::attention
