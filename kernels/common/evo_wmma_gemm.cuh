// Template wmma: S = Q K^T of a warp, for the strips of its group.
#pragma once

#include "evo_wmma_traits.cuh"

// Q_SOURCE fragments: the group's rows.
__device__ __forceinline__ void load_q_fragments(QFragments& q, const __half* q_tile, const Grid& place) {
#pragma unroll
  for (int m = 0; m < STRIPS; ++m) {
    if (!place.has_strip(m)) break;
#pragma unroll
    for (int d = 0; d < HEAD_DIM / 16; ++d) {
      wmma::load_matrix_sync(q[m][d], q_tile + (place.first_strip + m) * 16 * ROW_PITCH + d * 16, ROW_PITCH);
    }
  }
}

// S of the group's strips and 16 keys from `key`: Q K^T.
__device__ __forceinline__ void gemm_qk(SumTile (&s)[STRIPS], const QFragments& q_fragments,
                                        const __half* q_tile, const __half* k_tile, int key,
                                        const Grid& place) {
#pragma unroll
  for (int m = 0; m < STRIPS; ++m) wmma::fill_fragment(s[m], 0.0f);
#pragma unroll
  for (int d = 0; d < HEAD_DIM / 16; ++d) {
    RightTileTransposed b;
    wmma::load_matrix_sync(b, k_tile + key * ROW_PITCH + d * 16, ROW_PITCH);
    if constexpr (Q_IN_REGISTERS) {
#pragma unroll
      for (int m = 0; m < STRIPS; ++m) {
        if (place.has_strip(m)) wmma::mma_sync(s[m], q_fragments[m][d], b, s[m]);
      }
    } else {
      multiply_strips(s, place, q_tile + place.first_strip * 16 * ROW_PITCH + d * 16, ROW_PITCH, b);
    }
  }
}
