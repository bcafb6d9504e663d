// N halves (1, 2, 4 or 8) that move through one memory access, and their float values.
#pragma once

#include <cuda_fp16.h>

template <int N>
struct HalfWord;
template <>
struct HalfWord<1> {
  using Type = unsigned short;
};
template <>
struct HalfWord<2> {
  using Type = unsigned int;
};
template <>
struct HalfWord<4> {
  using Type = uint2;
};
template <>
struct HalfWord<8> {
  using Type = uint4;
};

template <int N>
union HalfChunk {
  typename HalfWord<N>::Type word;  // one access of 2 * N bytes
  __half_raw lane[N];
};

template <int N>
__device__ __forceinline__ HalfChunk<N> zero_chunk() {
  HalfChunk<N> chunk;
#pragma unroll
  for (int e = 0; e < N; ++e) chunk.lane[e].x = 0;
  return chunk;
}

template <int N>
__device__ __forceinline__ void unpack(const HalfChunk<N>& chunk, float (&values)[N]) {
#pragma unroll
  for (int e = 0; e < N; ++e) values[e] = __half2float(__half(chunk.lane[e]));
}

template <int N>
__device__ __forceinline__ HalfChunk<N> pack(const float (&values)[N]) {
  HalfChunk<N> chunk;
#pragma unroll
  for (int e = 0; e < N; ++e) chunk.lane[e] = __half_raw(__float2half_rn(values[e]));
  return chunk;
}

// True if every row of a strided view can be accessed N halves at a time.
template <int N>
__device__ __forceinline__ bool rows_aligned(const __half* first_row, long long row_stride) {
  const unsigned long long bits =
      reinterpret_cast<unsigned long long>(first_row) | static_cast<unsigned long long>(row_stride * 2);
  return bits % (2 * N) == 0;
}
