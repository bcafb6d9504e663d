extern "C" __global__ void reference(const EVO_REAL* x, const int* length, EVO_REAL* y, int n, EVO_REAL sharp) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  EVO_REAL most = x[r * n], sum = 0, weights = 0;
  for (int i = 1; i < length[r]; ++i) most = x[r * n + i] > most ? x[r * n + i] : most;
  for (int i = 0; i < length[r]; ++i) {
    const EVO_REAL weight = exp(sharp * (x[r * n + i] - most));
    weights += weight;
    sum += weight * x[r * n + i];
  }
  y[r] = sum / weights;
}
