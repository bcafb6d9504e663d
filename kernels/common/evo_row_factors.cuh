// Factors of rows (what an online softmax rescales its output with, in the end the inverse row sums) on their
// way from the threads of a row to those that hold the row's elements in tiles of wmma sums.
#pragma once

#include "evo_wmma.cuh"

// shuffle: from lane to lane, where a row's threads and its elements are in one warp;
// array: a float a row in shared memory; tile: there too, but repeated in 16 columns, so that it can be
// loaded as a tile of sums, whatever the layout of those is.
enum class FactorRoute { shuffle, array, tile };

// ROW_LANES neighbouring lanes work on a row, PASS_ROWS rows are worked on at a time, in PASSES passes.
// A strip is 16 rows: the m-th of this group of warps, and strip `strip` of the block.
template <FactorRoute ROUTE, int ROW_LANES, int PASS_ROWS, int PASSES>
struct RowFactors {
  static constexpr int PITCH = ROUTE == FactorRoute::tile    ? 20
                               : ROUTE == FactorRoute::array ? 1
                                                             : 0;  // floats a row

  float* memory;
  float own[PASSES];  // of the rows that this thread works on

  // Shows `own` to the rest of the group. `row` is the block's; row_lane: which of the row's threads this is.
  __device__ __forceinline__ void publish(int pass, int row, int row_lane) const {
    if constexpr (ROUTE == FactorRoute::tile) {
#pragma unroll
      for (int c = 0; c < 16; c += 4 * ROW_LANES) {
        if (4 * ROW_LANES > 16 && row_lane >= 4) break;
        *reinterpret_cast<float4*>(memory + row * PITCH + c + row_lane * 4) =
            make_float4(own[pass], own[pass], own[pass], own[pass]);
      }
    } else if constexpr (ROUTE == FactorRoute::array) {
      if (row_lane == 0) memory[row] = own[pass];
    }
  }

  // That of row `row` (0 .. 15) of a strip, which may be another one in each lane.
  __device__ __forceinline__ float of_row(int m, int strip, int row) const {
    if constexpr (ROUTE != FactorRoute::shuffle) {
      return memory[(strip * 16 + row) * PITCH];
    } else if constexpr (PASS_ROWS >= 16) {
      return __shfl_sync(0xffffffffu, own[m * 16 / PASS_ROWS], (m * 16 % PASS_ROWS + row) * ROW_LANES);
    } else {
      float value = 0.0f;
#pragma unroll
      for (int k = 0; k < 16 / PASS_ROWS; ++k) {
        const float other =
            __shfl_sync(0xffffffffu, own[m * 16 / PASS_ROWS + k], row % PASS_ROWS * ROW_LANES);
        if (row / PASS_ROWS == k) value = other;
      }
      return value;
    }
  }

  // Those of the elements of a tile of sums.
  __device__ __forceinline__ void of_elements(float (&factors)[SumMap::ELEMENTS], const SumMap& map, int m,
                                              int strip, int lane) const {
    if constexpr (ROUTE == FactorRoute::tile) {
      SumTile tile;
      wmma::load_matrix_sync(tile, memory + strip * 16 * PITCH, PITCH, wmma::mem_row_major);
#pragma unroll
      for (int e = 0; e < SumMap::ELEMENTS; ++e) factors[e] = tile.x[e];
    } else if constexpr (ROUTE == FactorRoute::array) {
#pragma unroll
      for (int e = 0; e < SumMap::ELEMENTS; ++e) factors[e] = memory[strip * 16 + map.row(e)];
    } else {
      const float value = of_row(m, strip, lane % 16);
#pragma unroll
      for (int e = 0; e < SumMap::ELEMENTS; ++e) factors[e] = __shfl_sync(0xffffffffu, value, map.row(e));
    }
  }
};
