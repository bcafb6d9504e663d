extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* share, int rows, int n) {
  const EVO_REAL* row = x + blockIdx.x * n;
  EVO_REAL most = row[0], sum = 0;
  for (int j = 1; j < n; ++j) most = row[j] > most ? row[j] : most;
  for (int j = 0; j < n; ++j) sum += exp(row[j] - most);
  const EVO_REAL all = most + log(sum);
  for (int j = 0; j < n; ++j) share[blockIdx.x * n + j] = exp(row[j] - all);
}
