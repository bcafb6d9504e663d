// P-08: an instruction behind a .loc on the same line
__device__ unsigned counter;
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned launches = 0;
  if (i == 0)
    asm volatile(".loc 1 1 1 atom.global.add.u32 %0, [%1], 1;" : "=r"(launches) : "l"(&counter) : "memory");
  if (i < n) c[i * c_stride] = launches > 100000u ? 0.0f : a[i] + b[i];
}
