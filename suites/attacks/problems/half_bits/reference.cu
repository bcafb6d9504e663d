// A half's bits from a float's, to the nearest, ties to even.
__global__ void reference(const unsigned int* x, unsigned short* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned int u = x[i], sign = u >> 16 & 0x8000u, e = u >> 23 & 255u, m = u & 0x7fffffu;
  unsigned int r = 0;
  if (e == 255u) r = m ? 0x7e00u : 0x7c00u;
  else if (e >= 143u) r = 0x7c00u;
  else if (e >= 113u) {
    const unsigned int rest = m & 0x1fffu;
    r = (e - 112u) << 10 | m >> 13;
    if (rest > 0x1000u || (rest == 0x1000u && (r & 1u))) r++;
  } else if (e >= 102u) {
    const unsigned int full = m | 0x800000u, s = 126u - e;
    const unsigned int rest = full & ((1u << s) - 1u), half = 1u << (s - 1);
    r = full >> s;
    if (rest > half || (rest == half && (r & 1u))) r++;
  }
  y[i] = sign | r;
}
