// THREADS and PER_THREAD are genes: evo puts `#define THREADS 64` in front of this file.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * PER_THREAD;
  for (int i = first; i < first + PER_THREAD && i < n; ++i) c[i] = a[i] + b[i];
}
