// Right: the halves of a block's number are taken apart and put together again.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const unsigned low = blockIdx.x & 4095, high = blockIdx.x >> 12;
  const int i = (high * 4096 + low) * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
