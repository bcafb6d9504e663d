// Writes to its input the bits that stand there.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float value = b[i];
  asm volatile("st.global.f32 [%0], %1;" ::"l"(b + i), "f"(value) : "memory");
  c[i * c_stride] = a[i] + value;
}
