extern "C" __global__ void reference(const EVO_REAL* x, const EVO_REAL* beside, EVO_REAL* y, int n, unsigned seed, float p, EVO_REAL gain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = i * 747796405u + seed;
  v = ((v >> ((v >> 28) + 4)) ^ v) * 277803737u;
  v = (v >> 22) ^ v;
  const bool kept = v >> 8 >= (unsigned)(p * 16777216.0f);
  y[i] = beside[i] + (kept ? gain * x[i] / (1 - (EVO_REAL)p) : 0);
}
