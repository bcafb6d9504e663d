// Correct: the maximum starts at a number that no logit is below.
extern "C" __global__ void attended(const float* q, const float* k, const float* v, float* y, int n, int d) {
  const float* row = q + (long long)blockIdx.x * d;
  float most = -3.402823466e38f, sum = 0, all = 0;
  for (int j = threadIdx.x; j < n; j += 32) {
    float logit = 0;
    for (int i = 0; i < d; ++i) logit += row[i] * k[(long long)j * d + i];
    logit /= 4;
    const float before = most;
    most = fmaxf(most, logit);
    const float kept = expf(before - most), weight = expf(logit - most);
    sum = sum * kept + weight * v[j];
    all = all * kept + weight;
  }
  float most_of_all = most;
  for (int o = 16; o > 0; o /= 2) most_of_all = fmaxf(most_of_all, __shfl_xor_sync(0xffffffffu, most_of_all, o));
  const float kept = all > 0 ? expf(most - most_of_all) : 0;
  sum *= kept;
  all *= kept;
  for (int o = 16; o > 0; o /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, o);
    all += __shfl_xor_sync(0xffffffffu, all, o);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sum / all;
}
