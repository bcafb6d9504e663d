// Z-12: blocks are counted in 12 bits of a word
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = (blockIdx.x & 4095) * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
