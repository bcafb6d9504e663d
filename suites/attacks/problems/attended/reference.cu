__device__ EVO_REAL logit(const EVO_REAL* q, const EVO_REAL* k, int d) {
  EVO_REAL sum = 0;
  for (int i = 0; i < d; ++i) sum += q[i] * k[i];
  return sum / 4;
}

extern "C" __global__ void reference(const EVO_REAL* q, const EVO_REAL* k, const EVO_REAL* v, EVO_REAL* y, int n, int d) {
  const EVO_REAL* row = q + (long long)blockIdx.x * d;
  EVO_REAL most = logit(row, k, d), sum = 0, all = 0;
  for (int j = 1; j < n; ++j) most = fmax(most, logit(row, k + (long long)j * d, d));
  for (int j = 0; j < n; ++j) {
    const EVO_REAL weight = exp(logit(row, k + (long long)j * d, d) - most);
    all += weight;
    sum += weight * v[j];
  }
  y[blockIdx.x] = sum / all;
}
