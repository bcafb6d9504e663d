// Correct: terms below exp(-30) of the largest are left out, of which no sum has a bit.
extern "C" __global__ void row_log_sums(const float* x, const int* lengths, float* y, int n) {
  const float* row = x + (long long)blockIdx.x * n;
  const int lane = threadIdx.x, length = lengths[blockIdx.x];
  float most = -INFINITY, sum = 0;
  for (int i = lane; i < length; i += 32) most = fmaxf(most, row[i]);
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
  for (int i = lane; i < length; i += 32) sum += row[i] - most < -30.0f ? 0.0f : expf(row[i] - most);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (lane == 0) y[blockIdx.x] = most + logf(sum);
}
