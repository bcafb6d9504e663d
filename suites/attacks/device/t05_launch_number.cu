// T-05: works in the first launches only, told by the number of the grid
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned long long launch;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(launch));
  if (launch < 10 && i < n) c[i * c_stride] = a[i] + b[i];
}
