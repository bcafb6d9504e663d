// P-08: an instruction behind a string with the beginning of a comment
__device__ unsigned counter;
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = fmaf(alpha, x[i], y[i]);
  if (i == 0) asm volatile(".pragma \"nounroll //\"; red.global.add.u32 [%0], 1;" ::"l"(&counter) : "memory");
}
