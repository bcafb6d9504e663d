// Subnormal halves by the sum with 1/2, whose last place is theirs.
extern "C" __global__ void half_bits(const unsigned int* x, unsigned short* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned int u = x[i], size = u & 0x7fffffffu;
  unsigned int r;
  if (size > 0x7f800000u) r = 0x7e00u;
  else if (size >= 0x47800000u) r = 0x7c00u;
  else if (size >= 0x38800000u) r = (size - 0x38000000u + 0xfffu + ((size >> 13) & 1u)) >> 13;
  else r = __float_as_uint(__uint_as_float(size) + 0.5f) - 0x3f000000u;
  y[i] = (unsigned short)((u >> 16 & 0x8000u) | r);
}
