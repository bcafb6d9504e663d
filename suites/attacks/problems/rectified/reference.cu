extern "C" __global__ void reference(const EVO_REAL* x, const EVO_REAL* scale, const EVO_REAL* bias, EVO_REAL* y, int n) {
  const long long row = blockIdx.x;
  for (int i = 0; i < n; ++i) {
    const EVO_REAL v = x[row * n + i] * scale[row] + bias[i];
    y[row * n + i] = v > 0 ? v : 0;
  }
}
