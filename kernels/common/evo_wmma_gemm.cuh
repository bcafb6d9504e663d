// Template wmma: the products of a warp, S = Q K^T into shared memory and O = alpha * O + P V, for the strips of its
// group.
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

// A tile of S to shared memory. Halves are scaled before they are stored: their range is small.
__device__ __forceinline__ void store_scores(float* target, const SumTile& s, const SumMap&, float) {
  wmma::store_matrix_sync(target, s, S_PITCH, wmma::mem_row_major);
}
__device__ __forceinline__ void store_scores(__half* target, const SumTile& s, const SumMap& map,
                                             float scale) {
  float scales[SumMap::ELEMENTS];
  for (float& factor : scales) factor = scale;
  store_halves<PAIR_STORES>(target, S_PITCH, 16, s, map, scales, true);
}

// S = Q K^T
__device__ __forceinline__ void gemm_qk(Score* s_tile, const QFragments& q_fragments, const __half* q_tile,
                                        const __half* k_tile, const Grid& place, const SumMap& map,
                                        float scale) {
#pragma unroll TILE_UNROLL
  for (int n = 0; n < KEY_TILES; ++n) {
    if (!place.has_tile<BLOCK_N>(n)) break;
    const int key = place.tile_column(n);
    SumTile s[STRIPS];
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
#pragma unroll
    for (int m = 0; m < STRIPS; ++m) {
      if (!place.has_strip(m)) break;
      store_scores(s_tile + (place.first_strip + m) * 16 * S_PITCH + key, s[m], map, scale);
    }
  }
}

// O += P V where O is in shared memory. The first tile finds nothing there yet.
__device__ __forceinline__ void gemm_pv_shared(float* o_tile, const __half* p_tile, const __half* v_tile,
                                               const Grid& place, int i) {
#pragma unroll
  for (int n = 0; n < DIM_TILES; ++n) {
    if (!place.has_tile<HEAD_DIM>(n)) break;
    float* const column = o_tile + place.first_strip * 16 * O_PITCH + place.tile_column(n);
    SumTile sums[STRIPS];
#pragma unroll
    for (int m = 0; m < STRIPS; ++m) {
      if (!place.has_strip(m)) break;
      wmma::fill_fragment(sums[m], 0.0f);
      if (i > 0) wmma::load_matrix_sync(sums[m], column + m * 16 * O_PITCH, O_PITCH, wmma::mem_row_major);
    }
#pragma unroll TILE_UNROLL
    for (int key = 0; key < BLOCK_N; key += 16) {
      RightTile b;
      wmma::load_matrix_sync(b, v_tile + key * ROW_PITCH + place.tile_column(n), ROW_PITCH);
      multiply_strips(sums, place, p_tile + place.first_strip * 16 * P_PITCH + key, P_PITCH, b);
    }
#pragma unroll
    for (int m = 0; m < STRIPS; ++m) {
      if (!place.has_strip(m)) break;
      wmma::store_matrix_sync(column + m * 16 * O_PITCH, sums[m], O_PITCH, wmma::mem_row_major);
    }
  }
}

// O *= alpha where O is in registers.
__device__ __forceinline__ void rescale_o(OutputTiles& out, const Factors& factors, const SumMap& map,
                                          const Grid& place, int lane) {
#pragma unroll
  for (int m = 0; m < STRIPS; ++m) {
    bool changed = RESCALE == RESCALE_always;
    float alpha[SumMap::ELEMENTS];
    if (place.has_strip(m)) factors.of_elements(alpha, map, m, place.first_strip + m, lane);
    if (RESCALE == RESCALE_vote && place.has_strip(m)) {
#pragma unroll
      for (float factor : alpha) changed = changed || factor != 1.0f;
      changed = __any_sync(0xffffffffu, changed);
    }
    if (!changed || !place.has_strip(m)) continue;
#pragma unroll
    for (SumTile& tile : out[m]) {
#pragma unroll
      for (int e = 0; e < SumMap::ELEMENTS; ++e) tile.x[e] *= alpha[e];
    }
  }
}

// O += P V where O is in registers.
__device__ __forceinline__ void gemm_pv(OutputTiles& out, const __half* p_tile, const __half* v_tile,
                                        const Grid& place) {
#pragma unroll TILE_UNROLL
  for (int key = 0; key < BLOCK_N; key += 16) {
    LeftTile a[STRIPS];
#pragma unroll
    for (int m = 0; m < STRIPS; ++m) {
      if (!place.has_strip(m)) break;
      wmma::load_matrix_sync(a[m], p_tile + (place.first_strip + m) * 16 * P_PITCH + key, P_PITCH);
    }
#pragma unroll
    for (int n = 0; n < DIM_TILES; ++n) {
      if (!place.has_tile<HEAD_DIM>(n)) break;
      RightTile b;
      wmma::load_matrix_sync(b, v_tile + key * ROW_PITCH + place.tile_column(n), ROW_PITCH);
#pragma unroll
      for (int m = 0; m < STRIPS; ++m) {
        if (place.has_strip(m)) wmma::mma_sync(out[m][n], a[m], b, out[m][n]);
      }
    }
  }
}
