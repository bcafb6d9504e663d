extern "C" __global__ void reference(const EVO_REAL* x, const int* lengths, EVO_REAL* y, int n) {
  const EVO_REAL* row = x + (long long)blockIdx.x * n;
  EVO_REAL most = row[0], sum = 0;
  for (int i = 1; i < lengths[blockIdx.x]; ++i) most = fmax(most, row[i]);
  for (int i = 0; i < lengths[blockIdx.x]; ++i) sum += exp(row[i] - most);
  y[blockIdx.x] = most + log(sum);
}
