// Works through the tiles of keys from the last to the first, so that the diagonal comes first.
#include <cuda_fp16.h>

constexpr int NT = 16;

extern "C" __global__ void attention_forward_scalar(const __half* q, const __half* k, const __half* v, __half* o,
                                                    long long sb, long long sh, long long sr, long long pb,
                                                    long long ph, long long pr, int seq, int causal, float scale) {
  const int slot = threadIdx.x;
  const int row = blockIdx.x * BLOCK_M + slot;
  if (slot >= BLOCK_M || row >= seq) return;
  const __half* qr = q + blockIdx.z * sb + blockIdx.y * sh + row * sr;
  const __half* kh = k + blockIdx.z * sb + blockIdx.y * sh;
  const __half* vh = v + blockIdx.z * sb + blockIdx.y * sh;
  float top = -INFINITY, norm = 0;
  float sum[HEAD_DIM] = {0};
  const int tiles = (seq + NT - 1) / NT;
  for (int t = tiles - 1; t >= 0; --t) {
    float s[NT];
    float tile_top = -INFINITY;
    for (int j = 0; j < NT; ++j) {
      const int key = t * NT + j;
      float x = -INFINITY;
      if (key < seq && (!causal || key <= row)) {
        x = 0;
        for (int d = 0; d < HEAD_DIM; ++d) x += __half2float(qr[d]) * __half2float(kh[key * sr + d]);
        x *= scale;
      }
      s[j] = x;
      tile_top = fmaxf(tile_top, x);
    }
    const float new_top = fmaxf(top, tile_top);
    const float old_share = expf(top - new_top);
    norm *= old_share;
    for (int d = 0; d < HEAD_DIM; ++d) sum[d] *= old_share;
    for (int j = 0; j < NT && t * NT + j < seq; ++j) {
      const float w = expf(s[j] - new_top);
      norm += w;
      for (int d = 0; d < HEAD_DIM; ++d) sum[d] += w * __half2float(vh[(t * NT + j) * sr + d]);
    }
    top = new_top;
  }
  __half* or_ = o + blockIdx.z * pb + blockIdx.y * ph + row * pr;
  for (int d = 0; d < HEAD_DIM; ++d) or_[d] = __float2half(sum[d] / norm);
}
