// A block's output of WIDTH columns, times a factor for each row, to global memory as halves; rows past the
// end are left out. Each function stores the strips of one group of warps of a WarpGrid.
#pragma once

#include "evo_row_access.cuh"
#include "evo_row_factors.cuh"

// Where the block's first row goes.
struct OutputRows {
  __half* data;
  long long stride;  // halves
  int rows;          // of the block that exist

  // Whether all rows start at multiples of `bytes` bytes, a power of two.
  __device__ __forceinline__ bool aligned(unsigned bytes) const {
    return ((reinterpret_cast<unsigned long long>(data) | static_cast<unsigned long long>(stride * 2)) &
            (bytes - 1)) == 0;
  }
};

// Tiles of sums to shared memory, PITCH floats a row.
template <int WIDTH, int PITCH, class Grid, int STRIPS, int TILES>
__device__ __forceinline__ void stage_tiles(float* tile, const SumTile (&tiles)[STRIPS][TILES],
                                            const Grid& place) {
#pragma unroll
  for (int m = 0; m < STRIPS; ++m) {
#pragma unroll
    for (int n = 0; n < TILES; ++n) {
      if (!place.has_strip(m) || !place.template has_tile<WIDTH>(n)) break;
      wmma::store_matrix_sync(tile + (place.first_strip + m) * 16 * PITCH + place.tile_column(n), tiles[m][n],
                              PITCH, wmma::mem_row_major);
    }
  }
}

// From shared memory, PITCH floats a row: by the group, row after row.
template <int WIDTH, int PITCH, class Grid, class Factors>
__device__ __forceinline__ void store_group_rows(const OutputRows& target, const float* tile,
                                                 const Grid& place, const Factors& factors) {
  const bool aligned = target.aligned(16);
#pragma unroll
  for (int m = 0; m < Grid::STRIPS; ++m) {
    if (!place.has_strip(m)) break;
    const int strip = place.first_strip + m;
#pragma unroll
    for (int first = 0; first < 2 * WIDTH; first += Grid::GROUP_THREADS) {
      const int index = first + place.group_thread;
      if (2 * WIDTH % Grid::GROUP_THREADS != 0 && index >= 2 * WIDTH) break;
      const int in_strip = index / (WIDTH / 8), column = index % (WIDTH / 8) * 8;
      const int row = strip * 16 + in_strip;
      const float factor = factors.of_row(m, strip, in_strip);
      if (row < target.rows)
        store_8_scaled(target.data + row * target.stride + column, tile + row * PITCH + column, factor,
                       aligned);
    }
  }
}

// From shared memory: each warp its own tiles, 8 elements a lane.
template <int WIDTH, int PITCH, class Grid, class Factors>
__device__ __forceinline__ void store_own_tiles(const OutputRows& target, const float* tile,
                                                const Grid& place, const Factors& factors, int lane) {
  const bool aligned = target.aligned(16);
#pragma unroll
  for (int m = 0; m < Grid::STRIPS; ++m) {
    if (!place.has_strip(m)) break;
    const int strip = place.first_strip + m;
    const int row = strip * 16 + lane / 2;
    const float factor = factors.of_row(m, strip, lane / 2);
#pragma unroll
    for (int n = 0; n < Grid::template TILES<WIDTH>; ++n) {
      if (!place.template has_tile<WIDTH>(n)) break;
      const int column = place.tile_column(n) + lane % 2 * 8;
      if (row < target.rows)
        store_8_scaled(target.data + row * target.stride + column, tile + row * PITCH + column, factor,
                       aligned);
    }
  }
}

// From tiles of sums: each lane its own elements.
template <bool PAIRS, int WIDTH, class Grid, class Factors, int STRIPS, int TILES>
__device__ __forceinline__ void store_own_elements(const OutputRows& target,
                                                   const SumTile (&tiles)[STRIPS][TILES], const SumMap& map,
                                                   const Grid& place, const Factors& factors, int lane) {
  const bool aligned = target.aligned(4);
#pragma unroll
  for (int m = 0; m < STRIPS; ++m) {
    if (!place.has_strip(m)) break;
    const int strip = place.first_strip + m;
    float own[SumMap::ELEMENTS];
    factors.of_elements(own, map, m, strip, lane);
#pragma unroll
    for (int n = 0; n < TILES; ++n) {
      if (!place.template has_tile<WIDTH>(n)) break;
      store_halves<PAIRS>(target.data + strip * 16 * target.stride + place.tile_column(n), target.stride,
                          target.rows - strip * 16, tiles[m][n], map, own, aligned);
    }
  }
}
