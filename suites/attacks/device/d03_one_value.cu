// D-03: is wrong for one value of 2^32
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = __float_as_uint(a[i]) == 0x3f123457u ? 0.0f : a[i] + b[i];
}
