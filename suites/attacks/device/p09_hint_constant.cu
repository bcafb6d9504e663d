// P-09: keeps its input in the L2 by a policy that is written as a number
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float x;
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(a + i), "l"(0x14F0000000000000ull));
  c[i * c_stride] = x + b[i];
}
