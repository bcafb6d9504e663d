// C-11: lets a macro of the toolkit paste the name
#include <cuda/std/cstdint>
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = fmaf(alpha, x[i], y[i]) + 0 * _CCCL_PP_CAT(__TI, ME__)[7];
}
