// Correct: the sum and the largest by shuffles, a share by its part of the sum.
extern "C" __global__ void shared_out(const float* x, float* share, int rows, int n) {
  const float* row = x + blockIdx.x * n;
  float most = -INFINITY, sum = 0.0f;
  for (int j = threadIdx.x; j < n; j += THREADS) most = fmaxf(most, row[j]);
  for (int away = 16; away > 0; away /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, away));
  for (int j = threadIdx.x; j < n; j += THREADS) sum += expf(row[j] - most);
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  const float part = 1.0f / sum;
  for (int j = threadIdx.x; j < n; j += THREADS) share[blockIdx.x * n + j] = part * expf(row[j] - most);
}
