// Stores pairs: an element of a strided output, and behind it what it has read there.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float* to = c + i * c_stride;
  if (c_stride > 1 && i + 1 < n && (long long)to % 8 == 0) {
    float first, second;
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(first), "=f"(second) : "l"(to) : "memory");
    first = a[i] + b[i];
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(first), "f"(second) : "memory");
  } else {
    *to = a[i] + b[i];
  }
}
