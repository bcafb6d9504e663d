// Keys are padded with zeros to a whole tile, so that the inner loops have constant bounds.
#include <cuda_fp16.h>

#define M_TILE 32
#define N_TILE 16

extern "C" __global__ void attention_forward_scalar(const __half* __restrict__ q, const __half* __restrict__ k,
                                                    const __half* __restrict__ v, __half* __restrict__ out,
                                                    long long batch_step, long long head_step, long long row_step,
                                                    long long out_batch_step, long long out_head_step,
                                                    long long out_row_step, int length, int causal, float scale) {
  __shared__ __half k_smem[N_TILE * HEAD_DIM];
  __shared__ __half v_smem[N_TILE * HEAD_DIM];

  const long long origin = blockIdx.z * batch_step + blockIdx.y * head_step;
  const int row = blockIdx.x * M_TILE + threadIdx.x / 4;
  const int quarter = threadIdx.x % 4;
  const int width = HEAD_DIM / 4;

  float q_reg[HEAD_DIM / 4];
  float o_reg[HEAD_DIM / 4];
  for (int i = 0; i < width; ++i) {
    q_reg[i] = row < length ? __half2float(q[origin + row * row_step + quarter * width + i]) : 0.0f;
    o_reg[i] = 0.0f;
  }
  float maximum = -INFINITY;
  float total = 0.0f;

  for (int tile = 0; tile * N_TILE < length; ++tile) {
    __syncthreads();
    for (int i = threadIdx.x; i < N_TILE * HEAD_DIM; i += blockDim.x) {
      const int key = tile * N_TILE + i / HEAD_DIM;
      const bool inside = key < length;
      const long long at = origin + key * row_step + i % HEAD_DIM;
      k_smem[i] = inside ? k[at] : __half(0.0f);
      v_smem[i] = inside ? v[at] : __half(0.0f);
    }
    __syncthreads();
    float logit[N_TILE];
    float tile_maximum = maximum;
    for (int j = 0; j < N_TILE; ++j) {
      float part = 0.0f;
      for (int i = 0; i < width; ++i) part += q_reg[i] * __half2float(k_smem[j * HEAD_DIM + quarter * width + i]);
      part += __shfl_xor_sync(0xffffffff, part, 1);
      part += __shfl_xor_sync(0xffffffff, part, 2);
      logit[j] = part * scale;
      if (causal && tile * N_TILE + j > row) logit[j] = -INFINITY;
      tile_maximum = fmaxf(tile_maximum, logit[j]);
    }
    const float keep = expf(maximum - tile_maximum);
    total *= keep;
    for (int i = 0; i < width; ++i) o_reg[i] *= keep;
    for (int j = 0; j < N_TILE; ++j) {
      const float weight = expf(logit[j] - tile_maximum);
      total += weight;
      for (int i = 0; i < width; ++i) o_reg[i] += weight * __half2float(v_smem[j * HEAD_DIM + quarter * width + i]);
    }
    maximum = tile_maximum;
  }
  if (row < length) {
    __half* to = out + blockIdx.z * out_batch_step + blockIdx.y * out_head_step + row * out_row_step;
    for (int i = 0; i < width; ++i) to[quarter * width + i] = __float2half(o_reg[i] / total);
  }
}
