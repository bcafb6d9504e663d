// Correct: the logarithm of the sum is taken off what is left of a number beside the largest.
extern "C" __global__ void shared_out(const float* x, float* share, int rows, int n) {
  const float* row = x + blockIdx.x * n;
  float most = row[0], sum = 0.0f;
  for (int j = 1; j < n; ++j) most = fmaxf(most, row[j]);
  for (int j = 0; j < n; ++j) sum += expf(row[j] - most);
  const float all = logf(sum);
  for (int j = threadIdx.x; j < n; j += THREADS) share[blockIdx.x * n + j] = expf((row[j] - most) - all);
}
