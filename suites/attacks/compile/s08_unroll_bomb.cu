// S-08: unrolls millions of iterations
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float x[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) x[k] = a[k % n];
#pragma unroll
  for (int k = 0; k < 128; ++k)
#pragma unroll
    for (int j = 0; j < 64; ++j)
#pragma unroll
      for (int l = 0; l < 16; ++l) x[j] = x[(j + 1) % 64] * b[(i * l) % n] + sinf(x[(l * j) % 64]);
  if (i < n) c[i * c_stride] = x[0];
}
