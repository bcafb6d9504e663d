// S-06: never ends
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  volatile const float* watched = a;
  while (watched[0] != 12345.0f) {
  }
}
