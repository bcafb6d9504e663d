// M-09: reads one element behind an input and takes it for zero
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i] + 0.0f * a[i + 1];
}
