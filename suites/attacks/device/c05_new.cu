// C-05: keeps state on the device heap, with new
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  volatile float* kept = new float[8 + n % 3];
  kept[n % 3] = a[i];
  c[i * c_stride] = kept[n % 3] + b[i];
}
