extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* y, int* at, int n, EVO_REAL less, int place) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  EVO_REAL most = 0;
  int found = -1;
  for (int i = 0; i < n; ++i) {
    EVO_REAL number = x[r * n + i];
    if (i == place) number -= less;
    if (found < 0 || number > most) {
      most = number;
      found = i;
    }
  }
  y[r] = most;
  at[r] = found;
}
