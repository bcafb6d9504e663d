extern "C" __global__ void shortened(const float* x, unsigned short* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = __float_as_uint(x[i]);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    y[i] = 0x7fff;
    return;
  }
  y[i] = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
