// S-08: unrolls millions of iterations
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float x = 0;
#pragma unroll
  for (int k = 0; k < 4000000; ++k) x = x * a[(k * 7 + i) % n] + b[k % n];
  if (i < n) c[i * c_stride] = x;
}
