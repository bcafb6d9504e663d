// Wrong: subnormal halves are rounded down in the middle.
extern "C" __global__ void half_bits(const unsigned int* x, unsigned short* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned int u = x[i], size = u & 0x7fffffffu;
  const int e = (int)(size >> 23) - 112, s = e >= 1 ? 13 : 14 - e;
  unsigned int r = 0;
  if (size > 0x7f800000u) r = 0x7e00u;
  else if (e >= 31) r = 0x7c00u;
  else if (s <= 24) {
    const unsigned int m = (size & 0x7fffffu) | 0x800000u, q = m >> s, rest = m << (32 - s);
    const bool up = e < 1 ? rest > 0x80000000u : rest > 0x80000000u || (rest == 0x80000000u && (q & 1u));
    r = q + up + (e >= 1 ? (unsigned int)(e - 1) << 10 : 0u);
  }
  y[i] = (unsigned short)((u >> 16 & 0x8000u) | r);
}
