// U-10: keeps kilobytes of local memory a thread
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float kept[8192];
  for (int k = 0; k < 8192; ++k) kept[k] = i < n ? a[i] + k : 0.0f;
  if (i < n) c[i * c_stride] = kept[(int)(a[i] * a[i]) & 8191] - ((int)(a[i] * a[i]) & 8191) + b[i];
}
