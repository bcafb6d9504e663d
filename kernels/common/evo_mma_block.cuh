// Template mma: which queries and keys a block and its warps have, and the mask.
#pragma once

#include "evo_mma_traits.cuh"

struct BlockInfo {
  int row_group, key_group;  // of the warp
  int part_row[ROW_PARTS];   // first query of each of the block's PART_ROWS rows
  int end_key;               // no query of the block sees this key or a later one
  int warp_row;              // first query of the warp
  int last_key;              // the last key that any of the warp's queries sees; -1: there are none
  int common_key;            // the last key that all of them see

  __device__ __forceinline__ BlockInfo(int warp, int seq, int causal) {
    if constexpr (WARP_ORDER == WARP_ORDER_keys_first) {
      key_group = warp % KV_WARPS, row_group = warp / KV_WARPS;
    } else {
      row_group = warp % WARPS_M, key_group = warp / WARPS_M;
    }
    const int index = static_cast<int>(ROWS_FIRST ? blockIdx.x : blockIdx.y);
    const int blocks = static_cast<int>(ROWS_FIRST ? gridDim.x : gridDim.y);
    part_row[0] = index * PART_ROWS;
    if constexpr (PAIRED) {
      // A short chunk of rows with a long one: all blocks have the same work.
      part_row[ROW_PARTS - 1] = (2 * blocks - 1 - index) * PART_ROWS;
    } else if constexpr (CAUSAL_ORDER == CAUSAL_ORDER_heavy_first) {
      part_row[0] = (causal ? blocks - 1 - index : index) * BLOCK_M;
    }
    const int last_row = part_row[ROW_PARTS - 1] + PART_ROWS - 1;
    end_key = causal ? min(seq, last_row + 1) : seq;
    const int in_block = row_group * WARP_ROWS;
    warp_row = in_block < PART_ROWS ? part_row[0] + in_block : part_row[ROW_PARTS - 1] + in_block - PART_ROWS;
    const int last = warp_row < seq ? seq - 1 : -1;
    last_key = causal ? min(last, warp_row + WARP_ROWS - 1) : last;
    common_key = causal ? min(last, warp_row) : last;
  }

  // Hardware barriers of the warps with the same keys, and of those with the same rows.
  __device__ __forceinline__ int key_barrier() const { return 1 + key_group; }
  __device__ __forceinline__ int row_barrier() const { return 1 + KV_WARPS + row_group; }
};

// Hides keys past last_key, and past the row if `causal`; `first_row` and `first_key` are the step's.
__device__ __forceinline__ void mask_scores(Scores& s, int first_row, int first_key, int last_key, int causal,
                                            unsigned lane) {
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + m * 16 + half * 8 + static_cast<int>(lane / 4);
      const int limit = (causal ? min(row, last_key) : last_key) - first_key - static_cast<int>(lane % 4 * 2);
#pragma unroll
      for (int n = 0; n < N_TILES; ++n) {
        if (n * 8 > limit) s[m][n][half * 2] = minus_infinity();
        if (n * 8 + 1 > limit) s[m][n][half * 2 + 1] = minus_infinity();
      }
    }
  }
}
