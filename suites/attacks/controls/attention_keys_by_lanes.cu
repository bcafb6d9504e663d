// control: right, a lane a key: a warp takes 32 keys at once, with masks of ballots where keys end
#include <cuda_fp16.h>

constexpr int dims = HEAD_DIM / 32;

__device__ float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}
__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long batch_stride, long long head_stride,
                                                    long long row_stride, long long o_batch_stride,
                                                    long long o_head_stride, long long o_row_stride, int seq,
                                                    int causal, float scale) {
  __shared__ float kept[3 * BLOCK_M];
  const int lane = threadIdx.x % 32;
  const long long from = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  o += blockIdx.z * o_batch_stride + blockIdx.y * o_head_stride;
  const int first_row = blockIdx.x * BLOCK_M;
  for (int r = threadIdx.x / 32; r < BLOCK_M && first_row + r < seq; r += NUM_WARPS) {
    const int row = first_row + r;
    const __half* query = q + from + row * row_stride;
    const int keys = causal ? row + 1 : seq;
    float m = -INFINITY;
    float total = 0;
    float sum[dims] = {};
    for (int begin = 0; begin < keys; begin += 32) {
      const int key = begin + lane;
      const bool inside = key < keys;
      const unsigned present = __ballot_sync(0xffffffffu, inside);
      float logit;
      if (inside) {
        logit = 0;
        for (int d = 0; d < HEAD_DIM; ++d) {
          logit += __half2float(query[d]) * __half2float(k[from + key * row_stride + d]);
        }
        logit *= scale;
      }
      const float larger = fmaxf(m, warp_max(inside ? logit : -INFINITY));
      const float weight = inside ? expf(logit - larger) : 0.0f;
      const float factor = expf(m - larger);
      total = total * factor + warp_sum(weight);
      for (int d = 0; d < dims; ++d) sum[d] *= factor;
      for (unsigned left = present; left != 0; left &= left - 1) {
        const int which = __ffs(left) - 1;
        const float w = __shfl_sync(0xffffffffu, weight, which);
        const __half* value = v + from + (begin + which) * row_stride;
        for (int d = 0; d < dims; ++d) sum[d] += w * __half2float(value[d * 32 + lane]);
      }
      m = larger;
    }
    if (lane < 3) kept[3 * r + lane] = total;
    __syncwarp(0xffffffffu);
    for (int d = 0; d < dims; ++d) o[row * o_row_stride + d * 32 + lane] = __float2half(sum[d] / kept[3 * r + 2]);
  }
}
