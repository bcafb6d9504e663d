// Right: reads inputs through the read-only path in vectors, and writes beside them.
extern "C" __global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                               int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = __ldg(a + i) + __ldg(b + i);
}
