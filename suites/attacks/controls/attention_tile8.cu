// control: right, in tiles of eight threads of cooperative groups, and threads without a query leave before the barriers
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

constexpr int width = 8;
constexpr int dims = HEAD_DIM / width;

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long batch_stride, long long head_stride,
                                                    long long row_stride, long long o_batch_stride,
                                                    long long o_head_stride, long long o_row_stride, int seq,
                                                    int causal, float scale) {
  __shared__ float norm[3 * BLOCK_M];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<width>(block);
  const int lane = tile.thread_rank();
  const long long from = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  const int tiles = block.size() / width;
  const int first = blockIdx.x * BLOCK_M + tile.meta_group_rank();
  if (first >= seq) return;
  for (int row = first; row < min(seq, (int)(blockIdx.x + 1) * BLOCK_M); row += tiles) {
    float query[dims];
    float sum[dims];
    for (int d = 0; d < dims; ++d) query[d] = __half2float(q[from + row * row_stride + d * width + lane]) * scale;
    float m;
    float total;
    const int keys = causal ? row + 1 : seq;
    for (int key = 0; key < keys; ++key) {
      float logit = 0;
      for (int d = 0; d < dims; ++d) {
        logit += query[d] * __half2float(k[from + key * row_stride + d * width + lane]);
      }
      logit = cg::reduce(tile, logit, cg::plus<float>());
      // The first key sets what there is no value of yet.
      const float larger = key == 0 ? logit : fmaxf(m, logit);
      const float factor = key == 0 ? 0.0f : expf(m - larger);
      const float weight = expf(logit - larger);
      total = key == 0 ? weight : total * factor + weight;
      for (int d = 0; d < dims; ++d) {
        const float term = weight * __half2float(v[from + key * row_stride + d * width + lane]);
        sum[d] = key == 0 ? term : sum[d] * factor + term;
      }
      m = larger;
    }
    if (lane == 0) norm[row - blockIdx.x * BLOCK_M] = 1 / total;
    __syncwarp();  // all of the warp that are left
    const float factor = norm[row - blockIdx.x * BLOCK_M];
    __half* out = o + blockIdx.z * o_batch_stride + blockIdx.y * o_head_stride + row * o_row_stride;
    for (int d = 0; d < dims; ++d) out[d * width + lane] = __float2half(sum[d] * factor);
  }
}
