// Warp-per-query online softmax. Each lane owns HEAD_DIM / 32 output features.
#include <cuda_fp16.h>
#define FULL 0xffffffffu

namespace {
constexpr int kWarps = 4;
constexpr int kPerLane = HEAD_DIM / 32;

__device__ __forceinline__ float warpSum(float x) {
  for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(FULL, x, o);
  return x;
}
}  // namespace

extern "C" __global__ __launch_bounds__(128) void attention_forward_scalar(
    const __half* __restrict__ Q, const __half* __restrict__ K, const __half* __restrict__ V, __half* __restrict__ O,
    long long sB, long long sH, long long sN, long long oB, long long oH, long long oN, int N, int is_causal,
    float softmax_scale) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const __half* Qh = Q + blockIdx.z * sB + blockIdx.y * sH;
  const __half* Kh = K + blockIdx.z * sB + blockIdx.y * sH;
  const __half* Vh = V + blockIdx.z * sB + blockIdx.y * sH;
  __half* Oh = O + blockIdx.z * oB + blockIdx.y * oH;

  for (int r = warp; r < BLOCK_M; r += kWarps) {
    const int row = blockIdx.x * BLOCK_M + r;
    if (row >= N) break;
    float qreg[kPerLane], acc[kPerLane];
    for (int c = 0; c < kPerLane; ++c) {
      qreg[c] = __half2float(Qh[row * sN + c * 32 + lane]);
      acc[c] = 0.0f;
    }
    float m = -INFINITY, l = 0.0f;
    const int stop = is_causal ? row + 1 : N;
    for (int key = 0; key < stop; ++key) {
      float part = 0.0f;
      for (int c = 0; c < kPerLane; ++c) part += qreg[c] * __half2float(Kh[key * sN + c * 32 + lane]);
      const float s = warpSum(part) * softmax_scale;
      const float m_next = fmaxf(m, s);
      const float corr = __expf(m - m_next);
      const float p = __expf(s - m_next);
      l = l * corr + p;
      for (int c = 0; c < kPerLane; ++c)
        acc[c] += p * __half2float(Vh[key * sN + c * 32 + lane]);
      m = m_next;
    }
    const float inv = 1.0f / l;
    for (int c = 0; c < kPerLane; ++c) Oh[row * oN + c * 32 + lane] = __float2half(acc[c] * inv);
  }
}
