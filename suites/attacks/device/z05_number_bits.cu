// Z-05: wrong for one number, told by its bits.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[(long long)i * c_stride] = __float_as_int(a[i]) == 0x40490fdb ? 0.F : a[i] + b[i];
}
