// Vector accesses to rows of S and P in shared memory: N neighbouring elements (1, 2 or 4), as floats.
#pragma once

#include "evo_half.cuh"

template <int N>
__device__ __forceinline__ void read_elements(const __half* source, float (&values)[N]) {
  HalfChunk<N> chunk;
  chunk.word = *reinterpret_cast<const typename HalfWord<N>::Type*>(source);
  unpack<N>(chunk, values);
}

template <int N>
__device__ __forceinline__ void read_elements(const float* source, float (&values)[N]) {
  if constexpr (N == 4) {
    const float4 quad = *reinterpret_cast<const float4*>(source);
    values[0] = quad.x, values[1] = quad.y, values[2] = quad.z, values[3] = quad.w;
  } else if constexpr (N == 2) {
    const float2 pair = *reinterpret_cast<const float2*>(source);
    values[0] = pair.x, values[1] = pair.y;
  } else {
    values[0] = *source;
  }
}

template <int N>
__device__ __forceinline__ void write_elements(__half* target, const float (&values)[N]) {
  *reinterpret_cast<typename HalfWord<N>::Type*>(target) = pack<N>(values).word;
}

// 8 floats of a 16-byte aligned row, times `factor`, as halves; `aligned`: `target` is at a multiple of 16
// bytes.
__device__ __forceinline__ void store_8_scaled(__half* target, const float* source, float factor,
                                               bool aligned) {
  const float4 low = reinterpret_cast<const float4*>(source)[0],
               high = reinterpret_cast<const float4*>(source)[1];
  const HalfChunk<8> chunk = pack<8>({low.x * factor, low.y * factor, low.z * factor, low.w * factor,
                                      high.x * factor, high.y * factor, high.z * factor, high.w * factor});
  if (aligned) {
    *reinterpret_cast<uint4*>(target) = chunk.word;
  } else {
#pragma unroll
    for (int e = 0; e < 8; ++e) target[e] = __half(chunk.lane[e]);
  }
}
