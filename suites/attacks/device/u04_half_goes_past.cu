// U-04: half of a warp goes past a vote that names all of it
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned inside = 0;
  if (threadIdx.x % 32 < 16) inside = __ballot_sync(0xffffffffu, i < n);
  if (i < n) z[i] = fmaf(alpha, x[i], y[i]) + (inside == 0xffffffffu ? 0.0f : 0.0f * inside);
}
