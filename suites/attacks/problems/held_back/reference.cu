extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n, int window) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x, i = e % n;
  EVO_REAL most = x[e];
  for (int away = 1; away < window && away <= i; ++away) most = x[e - away] > most ? x[e - away] : most;
  y[e] = most;
}
