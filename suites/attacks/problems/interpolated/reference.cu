extern "C" __global__ void reference(const EVO_REAL* x, const EVO_REAL* at, const EVO_REAL* value, EVO_REAL* y, int n,
                                     int knots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int below = 0;
  for (int k = 0; k < knots; ++k) {
    if (at[k] <= x[i]) below = k + 1;
  }
  if (below == 0 || below == knots) {
    y[i] = value[below == 0 ? 0 : knots - 1];
  } else {
    const EVO_REAL share = (x[i] - at[below - 1]) / (at[below] - at[below - 1]);
    y[i] = value[below - 1] * (1 - share) + value[below] * share;
  }
}
