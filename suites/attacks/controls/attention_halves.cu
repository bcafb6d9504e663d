// control: right, sixteen lanes a query: two queries share a warp, and where only one is left its lanes go on alone
#include <cuda_fp16.h>

constexpr int lanes = 16;
constexpr int dims = HEAD_DIM / lanes;

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long batch_stride, long long head_stride,
                                                    long long row_stride, long long o_batch_stride,
                                                    long long o_head_stride, long long o_row_stride, int seq,
                                                    int causal, float scale) {
  __shared__ float weights[3 * BLOCK_M];
  const int lane = threadIdx.x % lanes;
  const int groups = NUM_WARPS * 32 / lanes;
  const long long from = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  o += blockIdx.z * o_batch_stride + blockIdx.y * o_head_stride;
  for (int r = threadIdx.x / lanes; r < BLOCK_M; r += groups) {
    const int row = blockIdx.x * BLOCK_M + r;
    if (row >= seq) return;  // a query behind the end, and all that follow for these lanes
    float query[dims];
    float sum[dims] = {};
    for (int d = 0; d < dims; ++d) query[d] = __half2float(q[from + row * row_stride + d * lanes + lane]);
    const int keys = causal ? row + 1 : seq;
    const int most = __reduce_max_sync(0xffffffffu, keys);  // of the queries that are still there
    float m = -INFINITY;
    float total = 0;
    for (int key = 0; key < most; ++key) {
      float dot = 0;
      if (key < keys) {
        for (int d = 0; d < dims; ++d) dot += query[d] * __half2float(k[from + key * row_stride + d * lanes + lane]);
      }
      for (int step = lanes / 2; step > 0; step /= 2) dot += __shfl_xor_sync(0xffffffffu, dot, step);
      if (key >= keys) continue;
      const float logit = dot * scale;
      const float larger = fmaxf(m, logit);
      const float factor = expf(m - larger);
      const float weight = expf(logit - larger);
      total = total * factor + weight;
      for (int d = 0; d < dims; ++d) {
        sum[d] = sum[d] * factor + weight * __half2float(v[from + key * row_stride + d * lanes + lane]);
      }
      m = larger;
    }
    if (lane == 0) weights[r] = total;
    __syncwarp();
    for (int d = 0; d < dims; ++d) o[row * o_row_stride + d * lanes + lane] = __float2half(sum[d] / weights[r]);
  }
}
