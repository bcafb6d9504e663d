__global__ void reference(const EVO_REAL* x, const EVO_REAL* w, const EVO_REAL* u, EVO_REAL* y, int n,
                          EVO_REAL radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool inside = x[i] * x[i] + w[i] * w[i] < radius * radius;
  y[i] = inside && !(x[i] * w[i] > (EVO_REAL)0.5) ? u[i] : -u[i];
}
