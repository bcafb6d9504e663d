// Correct: by the sign of differences.
extern "C" __global__ void in_disc(const float* x, const float* w, const float* u, float* y, int n,
                                   float radius) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const bool inside = fmaf(x[i], x[i], w[i] * w[i]) - radius * radius < 0.0f;
  y[i] = inside && !(x[i] * w[i] - 0.5f > 0.0f) ? u[i] : -u[i];
}
