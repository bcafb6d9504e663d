// control: right, with cache operators and policies that end with the launch
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  unsigned lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
  const float u = __ldcs(x + i), v = __ldcg(y + i);
  __stwt(z + i, fmaf(alpha, u, v) + (float)(__popc(lanes) - (int)(threadIdx.x % 32)));
}
