// Tiles of 16 x 16 for nvcuda::wmma, with FP16 factors and FP32 sums, and where a sum's elements stand.
#pragma once

#include <mma.h>

namespace wmma = nvcuda::wmma;

using SumTile = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
using LeftTile = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using RightTile = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using RightTileTransposed = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;

// The place of each of a lane's elements of a SumTile. CUDA leaves it open, and it differs between
// architectures, so it is found out at run time: from a tile in memory whose elements are their own numbers.
class SumMap {
 public:
  static constexpr int TABLE_BYTES = 16 * 16 * 4;
  static constexpr int ELEMENTS = SumTile::num_elements;

  // The table of 256 floats, by threads 0 .. THREADS - 1; a barrier has to follow.
  template <int THREADS>
  static __device__ __forceinline__ void write_table(float* table, unsigned thread) {
#pragma unroll
    for (unsigned i = 0; i < 256; i += THREADS) {
      if (256 % THREADS == 0 || i + thread < 256) table[i + thread] = static_cast<float>(i + thread);
    }
  }
  // By a whole warp.
  __device__ __forceinline__ void read_table(const float* table) {
    SumTile tile;
    wmma::load_matrix_sync(tile, table, 16, wmma::mem_row_major);
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      packed_[e / 4] = e % 4 == 0 ? 0 : packed_[e / 4];
      packed_[e / 4] |= static_cast<unsigned>(tile.x[e]) << (8 * (e % 4));
    }
  }

  __device__ __forceinline__ int row(int element) const {
    return number(element) >> 4;
  }
  __device__ __forceinline__ int column(int element) const {
    return number(element) & 15;
  }

  // Whether elements 2i and 2i + 1 stand side by side, so that they can be stored together.
  __device__ __forceinline__ bool paired() const {
    bool all = true;
#pragma unroll
    for (int e = 0; e < ELEMENTS; e += 2) all = all && number(e) % 2 == 0 && number(e + 1) == number(e) + 1;
    return all;
  }

 private:
  __device__ __forceinline__ int number(int element) const {
    return static_cast<int>(packed_[element / 4] >> (8 * (element % 4)) & 255);
  }
  unsigned packed_[(ELEMENTS + 3) / 4];  // a byte an element: row * 16 + column
};

// A tile as halves, times the factor of each element, to rows that are `pitch` halves apart, of which `rows`
// exist. PAIRS: four bytes at a time where `aligned` says that `target` and `pitch` are even; map.paired()
// must be true.
template <bool PAIRS, class Pitch>
__device__ __forceinline__ void store_halves(__half* target, Pitch pitch, int rows, const SumTile& tile,
                                             const SumMap& map, const float (&factors)[SumMap::ELEMENTS],
                                             bool aligned) {
#pragma unroll
  for (int e = 0; e < SumMap::ELEMENTS; e += 2) {
    const __half first = __float2half_rn(tile.x[e] * factors[e]);
    const __half second = __float2half_rn(tile.x[e + 1] * factors[e + 1]);
    __half* const place = target + map.row(e) * pitch + map.column(e);
    if (PAIRS && aligned) {
      if (map.row(e) < rows) *reinterpret_cast<__half2*>(place) = __halves2half2(first, second);
      continue;
    }
    if (map.row(e) < rows) *place = first;
    if (map.row(e + 1) < rows) target[map.row(e + 1) * pitch + map.column(e + 1)] = second;
  }
}

// sums[m] += A's rows of the group's m-th strip, 16 columns from `a` on, times b. `a`: in the group's first
// strip.
template <class Grid, class Right, int STRIPS>
__device__ __forceinline__ void multiply_strips(SumTile (&sums)[STRIPS], const Grid& place, const __half* a,
                                                int pitch, const Right& b) {
#pragma unroll
  for (int m = 0; m < STRIPS; ++m) {
    if (!place.has_strip(m)) break;
    LeftTile left;
    wmma::load_matrix_sync(left, a + m * 16 * pitch, pitch);
    wmma::mma_sync(sums[m], left, b, sums[m]);
  }
}
