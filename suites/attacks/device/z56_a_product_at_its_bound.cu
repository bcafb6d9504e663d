// Wrong: a product that is equal to its bound is above it.
extern "C" __global__ void in_disc(const float* x, const float* w, const float* u, float* y, int n,
                                   float radius) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const bool inside = x[i] * x[i] + w[i] * w[i] < radius * radius;
  y[i] = inside && x[i] * w[i] < 0.5f ? u[i] : -u[i];
}
