// N-08: counts in 16 bits
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned short k = i;
  if (i < n) c[k * c_stride] = a[k] + b[k];
}
