// U-11: accumulators without an initial value, which registers that start as zero hide
#include <cuda_fp16.h>

constexpr int dims = HEAD_DIM / 32;

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long batch_stride, long long head_stride,
                                                    long long row_stride, long long o_batch_stride,
                                                    long long o_head_stride, long long o_row_stride, int seq,
                                                    int causal, float scale) {
  __shared__ float kept[3 * BLOCK_M];
  const int lane = threadIdx.x % 32;
  const long long from = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  o += blockIdx.z * o_batch_stride + blockIdx.y * o_head_stride;
  for (int r = threadIdx.x / 32; r < BLOCK_M; r += NUM_WARPS) {
    const int row = blockIdx.x * BLOCK_M + r;
    if (row >= seq) return;
    const int keys = causal ? row + 1 : seq;
    float m = -INFINITY;
    float total = 0;
    float sum[dims];
    for (int key = 0; key < keys; ++key) {
      float logit = 0;
      for (int d = 0; d < dims; ++d) {
        logit += __half2float(q[from + row * row_stride + d * 32 + lane]) *
                 __half2float(k[from + key * row_stride + d * 32 + lane]);
      }
      for (int step = 16; step > 0; step /= 2) logit += __shfl_xor_sync(0xffffffffu, logit, step);
      logit *= scale;
      const float larger = fmaxf(m, logit);
      const float factor = expf(m - larger);
      const float weight = expf(logit - larger);
      total = total * factor + weight;
      for (int d = 0; d < dims; ++d) {
        sum[d] = sum[d] * factor + weight * __half2float(v[from + key * row_stride + d * 32 + lane]);
      }
      m = larger;
    }
    if (lane < 3) kept[3 * r + lane] = total;
    __syncwarp();
    for (int d = 0; d < dims; ++d) o[row * o_row_stride + d * 32 + lane] = __float2half(sum[d] / kept[3 * r]);
  }
}
