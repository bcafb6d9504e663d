#include <cuda_fp16.h>

// Two queries a warp at a time would be quicker; this is the simple form.
extern "C" __global__ void attention_forward_scalar(const __half* Qp, const __half* Kp, const __half* Vp, __half* Op,
                                                    long long b_stride, long long h_stride, long long s_stride,
                                                    long long ob_stride, long long oh_stride, long long os_stride,
                                                    int T, int causal, float scale) {
  const int row = blockIdx.x * BLOCK_M + threadIdx.x;
  if (threadIdx.x >= BLOCK_M || row >= T) return;
  Qp += blockIdx.z * b_stride + blockIdx.y * h_stride + row * s_stride;
  Kp += blockIdx.z * b_stride + blockIdx.y * h_stride;
  Vp += blockIdx.z * b_stride + blockIdx.y * h_stride;
  Op += blockIdx.z * ob_stride + blockIdx.y * oh_stride + row * os_stride;
  __half out[HEAD_DIM];
  for (int d = 0; d < HEAD_DIM; ++d) out[d] = __float2half(0.0f);
  float runmax = -INFINITY, runsum = 0.0f;
  const int upto = causal ? row + 1 : T;
  for (int c = 0; c < upto; ++c) {
    float s = 0.0f;
    for (int d = 0; d < HEAD_DIM; ++d) s += __half2float(Qp[d]) * __half2float(Kp[c * s_stride + d]);
    s *= scale;
    const float newmax = fmaxf(runmax, s);
    const float shrink = expf(runmax - newmax);
    const float w = expf(s - newmax);
    runsum = runsum * shrink + w;
    for (int d = 0; d < HEAD_DIM; ++d) {
      const float next = __half2float(out[d]) * shrink + w * __half2float(Vp[c * s_stride + d]);
      out[d] = __float2half(next);
    }
    runmax = newmax;
  }
  for (int d = 0; d < HEAD_DIM; ++d) Op[d] = __float2half(__half2float(out[d]) / runsum);
}
