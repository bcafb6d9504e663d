// Wrong: the 256th tile is taken for the first, and loses what is carried into it.
extern "C" __global__ void segments(const int* x, const unsigned char* head, int* out, int n) {
  __shared__ int wv[THREADS / 32];
  __shared__ int wf[THREADS / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int carry = 0;
  unsigned char tile = 0;
  for (int base = 0; base < n; base += THREADS) {
    const int i = base + threadIdx.x;
    int v = i < n ? x[i] : 0;
    int f = i < n && head[i];
    for (int d = 1; d < 32; d <<= 1) {
      const int pv = __shfl_up_sync(~0u, v, d);
      const int pf = __shfl_up_sync(~0u, f, d);
      if (lane >= d) { v += f ? 0 : pv; f |= pf; }
    }
    if (lane == 31) { wv[warp] = v; wf[warp] = f; }
    __syncthreads();
    if (tile++ == 0) carry = 0;
    int before = carry, total = carry;
    for (int w = 0; w < THREADS / 32; ++w) {
      if (w == warp) before = total;
      total = wv[w] + (wf[w] ? 0 : total);
    }
    if (i < n) out[i] = v + (f ? 0 : before);
    carry = total;
    __syncthreads();
  }
}
