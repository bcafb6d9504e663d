// Template mma: the products of a warp, S = Q K^T and O += P V, with mma.m16n8k16, and the loads of their fragments.
#pragma once

#include "evo_fragment.cuh"
#include "evo_mma_traits.cuh"

// What a lane needs to read its fragments of the shared tiles.
struct FragmentAddresses {
  LaneAddress<Layout> q, k, v;
  __device__ __forceinline__ explicit FragmentAddresses(unsigned lane)
      : q(lane & 15, lane >> 4), k((lane & 7) + (lane >> 4) * 8, lane >> 3 & 1), v(lane & 15, lane >> 4) {
    if constexpr (LDMATRIX == 2) {  // lanes 16..31 are not asked, and repeat the others' addresses
      k = LaneAddress<Layout>(lane & 7, lane >> 3 & 1);
      v = LaneAddress<Layout>(lane & 15, 0);
    }
  }
};

// A 16 x 16 block of Q at a multiple of 16 rows and of 16 columns.
__device__ __forceinline__ void load_q(unsigned (&a)[4], const LaneAddress<Layout>& lane, unsigned tile,
                                       int row, int k_tile) {
  load_matrices(a, lane.at(tile, row, 2 * k_tile));
}

// Two neighbouring B fragments: of K^T for 16 keys and 16 columns, or of V.
__device__ __forceinline__ void load_k(unsigned (&b)[4], const LaneAddress<Layout>& lane, unsigned tile,
                                       int key, int k_tile) {
  if constexpr (LDMATRIX == 4) {
    load_matrices(b, lane.at(tile, key, 2 * k_tile));
  } else {
    load_two_matrices<0>(b, lane.at(tile, key, 2 * k_tile));
    load_two_matrices<2>(b, lane.at(tile, key + 8, 2 * k_tile));
  }
}
__device__ __forceinline__ void load_v(unsigned (&b)[4], const LaneAddress<Layout>& lane, unsigned tile,
                                       int key, int d_pair) {
  if constexpr (LDMATRIX == 4) {
    load_matrices_transposed(b, lane.at(tile, key, 2 * d_pair));
  } else {
    load_two_matrices_transposed<0>(b, lane.at(tile, key, 2 * d_pair));
    load_two_matrices_transposed<2>(b, lane.at(tile, key, 2 * d_pair + 1));
  }
}

// Q_SOURCE registers: the warp's rows out of shared memory.
__device__ __forceinline__ void load_q_fragments(QFragments& q, const LaneAddress<Layout>& lane,
                                                 unsigned q_tile) {
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int d = 0; d < HEAD_DIM / 16; ++d) load_q(q[m][d], lane, q_tile, m * 16, d);
  }
}

// Q_SOURCE direct: straight from global memory, rows first_row + ..., of which those past the end are zero.
__device__ __forceinline__ void load_q_direct(QFragments& q, const GlobalRows& source, int first_row,
                                              unsigned lane) {
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + m * 16 + half * 8 + static_cast<int>(lane / 4);
      const unsigned short* head = source.data + (row < source.rows ? row : 0) * source.stride + lane % 4 * 2;
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 8; ++d) {
        unsigned word = 0;
        if (row < source.rows) {
          if (source.aligned) {
            word = *reinterpret_cast<const unsigned*>(head + d * 8);
          } else {
            word = head[d * 8] | static_cast<unsigned>(head[d * 8 + 1]) << 16;
          }
        }
        q[m][d / 2][d % 2 * 2 + half] = word;
      }
    }
  }
}

// S = Q K^T, for STEP_N keys from `key` of the tile at `k_tile`; q_tile: the warp's rows, where Q stays in
// shared memory.
__device__ __forceinline__ void gemm_qk(Scores& s, const QFragments& q, const FragmentAddresses& addresses,
                                        unsigned q_tile, unsigned k_tile, int key) {
  constexpr int K_STEPS = HEAD_DIM / 16, PAIRS = N_TILES / 2, TOTAL = K_STEPS * PAIRS;
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int n = 0; n < N_TILES; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) s[m][n][e] = 0.0f;
    }
  }
  unsigned b[FRAGMENT_BUFFERS][4];
  if (FRAGMENT_BUFFERS == 2) load_k(b[0], addresses.k, k_tile, key, 0);
#pragma unroll
  for (int i = 0; i < TOTAL; ++i) {
    const int d = i / PAIRS, pair = i % PAIRS;
    const int fetch = FRAGMENT_BUFFERS == 2 ? i + 1 : i;
    if (fetch < TOTAL) {
      load_k(b[fetch % FRAGMENT_BUFFERS], addresses.k, k_tile, key + 16 * (fetch % PAIRS), fetch / PAIRS);
    }
    const auto& words = b[i % FRAGMENT_BUFFERS];
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
      if constexpr (Q_SOURCE == Q_SOURCE_shared) {
        unsigned a[4];
        load_q(a, addresses.q, q_tile, m * 16, d);
        mma_16x8x16(s[m][2 * pair], a, words[0], words[1]);
        mma_16x8x16(s[m][2 * pair + 1], a, words[2], words[3]);
      } else {
        mma_16x8x16(s[m][2 * pair], q[m][d], words[0], words[1]);
        mma_16x8x16(s[m][2 * pair + 1], q[m][d], words[2], words[3]);
      }
    }
  }
}

// O += P V for 16 keys from `key`.
__device__ __forceinline__ void gemm_pv(Softmax& softmax, const unsigned (&p)[M_TILES][4],
                                        const FragmentAddresses& addresses, unsigned v_tile, int key) {
  unsigned b[FRAGMENT_BUFFERS][4];
  if (FRAGMENT_BUFFERS == 2) load_v(b[0], addresses.v, v_tile, key, 0);
#pragma unroll
  for (int i = 0; i < D_TILES / 2; ++i) {
    const int fetch = FRAGMENT_BUFFERS == 2 ? i + 1 : i;
    if (fetch < D_TILES / 2) load_v(b[fetch % FRAGMENT_BUFFERS], addresses.v, v_tile, key, fetch);
    const auto& words = b[i % FRAGMENT_BUFFERS];
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
      mma_16x8x16(softmax.out[m][2 * i], p[m], words[0], words[1]);
      mma_16x8x16(softmax.out[m][2 * i + 1], p[m], words[2], words[3]);
    }
  }
  softmax.add_sums(p);
}
