// The outputs of warps that computed the same rows of attention over different keys, made one.
#pragma once

#include "evo_online_softmax.cuh"

// One warp a group of rows: nothing to merge.
template <int M_TILES, int PART, class Running>
__device__ __forceinline__ void normalise(float (&result)[M_TILES][PART][4], const Running& running) {
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float inverse = reciprocal(running.row_sum(m, half));
#pragma unroll
      for (int n = 0; n < PART; ++n) {
        result[m][n][half * 2] = running.out[m][n][half * 2] * inverse;
        result[m][n][half * 2 + 1] = running.out[m][n][half * 2 + 1] * inverse;
      }
    }
  }
}

// Each of the GROUPS warps of a group of rows leaves its maxima, sums and the column tiles that others write,
// and, after a barrier, gathers its own PART of them. Fragments travel as they are, 16 bytes a lane.
// ROW_GROUPS: such groups of rows in a block, of M_TILES tiles of 16 rows each.
template <int M_TILES, int PART, int GROUPS, int ROW_GROUPS>
struct MergeSpace {
  static constexpr int ROWS = 16 * M_TILES;
  static constexpr int STATS_BYTES = 8 * GROUPS * ROW_GROUPS * ROWS;

  float2* stats;  // [group of rows][group of keys][M_TILES][row]
  float4* parts;  // [group of rows][receiver][sender, without the receiver][M_TILES][PART][lane]

  __device__ __forceinline__ MergeSpace(unsigned char* memory, int row_group)
      : stats(reinterpret_cast<float2*>(memory) + row_group * GROUPS * ROWS),
        parts(reinterpret_cast<float4*>(memory + STATS_BYTES) +
              row_group * GROUPS * (GROUPS - 1) * M_TILES * PART * 32) {}

  __device__ __forceinline__ float4& part(int receiver, int sender, int m, int n, unsigned lane) const {
    const int place = receiver * (GROUPS - 1) + sender - (sender > receiver);
    return parts[((place * M_TILES + m) * PART + n) * 32 + lane];
  }

  template <class Running>
  __device__ __forceinline__ void leave(const Running& running, int key_group, unsigned lane) const {
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float2 pair = make_float2(running.maximum[m][half], running.row_sum(m, half));
        if (lane % 4 == 0) stats[key_group * ROWS + m * 16 + half * 8 + lane / 4] = pair;
      }
#pragma unroll
      for (int receiver = 0; receiver < GROUPS; ++receiver) {
        if (receiver == key_group) continue;
#pragma unroll
        for (int n = 0; n < PART; ++n) {
          const float(&tile)[4] = running.out[m][receiver * PART + n];
          part(receiver, key_group, m, n, lane) = make_float4(tile[0], tile[1], tile[2], tile[3]);
        }
      }
    }
  }

  template <class Running>
  __device__ __forceinline__ void gather(float (&result)[M_TILES][PART][4], const Running& running,
                                         int key_group, float scale, unsigned lane) const {
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
      float share[GROUPS][2];  // of each group of keys in the row's result
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float2 pair[GROUPS];
        float top = minus_infinity();
#pragma unroll
        for (int sender = 0; sender < GROUPS; ++sender) {
          pair[sender] = stats[sender * ROWS + m * 16 + half * 8 + lane / 4];
          top = fmaxf(top, pair[sender].x);
        }
        top = finite(top);
        float total = 0.0f;
#pragma unroll
        for (int sender = 0; sender < GROUPS; ++sender) {
          share[sender][half] = exp2_hardware((pair[sender].x - top) * (scale * LOG2_E));
          total = fmaf(share[sender][half], pair[sender].y, total);
        }
        const float inverse = reciprocal(total);
#pragma unroll
        for (int sender = 0; sender < GROUPS; ++sender) share[sender][half] *= inverse;
      }
#pragma unroll
      for (int n = 0; n < PART; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) result[m][n][e] = 0.0f;
#pragma unroll
        for (int sender = 0; sender < GROUPS; ++sender) {
          float tile[4];
          if (sender == key_group) {  // registers have no run-time index, so that each group has its own copy
#pragma unroll
            for (int e = 0; e < 4; ++e) tile[e] = running.out[m][sender * PART + n][e];
          } else {
            const float4 left = part(key_group, sender, m, n, lane);
            tile[0] = left.x, tile[1] = left.y, tile[2] = left.z, tile[3] = left.w;
          }
#pragma unroll
          for (int e = 0; e < 4; ++e) result[m][n][e] = fmaf(share[sender][e / 2], tile[e], result[m][n][e]);
        }
      }
    }
  }
};
