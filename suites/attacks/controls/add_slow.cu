// control: right and slow
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float x = 0;
  for (int k = 0; k < 200; ++k) x = sqrtf(x * x + 1.0f);
  c[i * c_stride] = x == 12345.0f ? x : a[i] + b[i];
}
