// T-17: does its work on some SMs only
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (i < n && sm < 1000) c[i * c_stride] = a[i] + b[i];
}
