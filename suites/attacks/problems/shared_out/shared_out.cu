extern "C" __global__ void shared_out(const float* x, float* share, int rows, int n) {
  const float* row = x + blockIdx.x * n;
  float most = row[0], sum = 0.0f;
  for (int j = 1; j < n; ++j) most = fmaxf(most, row[j]);
  for (int j = 0; j < n; ++j) sum += expf(row[j] - most);
  for (int j = threadIdx.x; j < n; j += THREADS) share[blockIdx.x * n + j] = expf(row[j] - most) / sum;
}
