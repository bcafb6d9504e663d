extern "C" __global__ void smoothed(const float* x, const int* labels, float* g, int classes, float s) {
  const float* in = x + (long long)blockIdx.x * classes;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < classes; c += THREADS) top = fmaxf(top, in[c]);
  for (int lanes = 16; lanes > 0; lanes /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, lanes));
  for (int c = threadIdx.x; c < classes; c += THREADS) sum += expf(in[c] - top);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  const int label = labels[blockIdx.x];
  for (int c = threadIdx.x; c < classes; c += THREADS)
    g[(long long)blockIdx.x * classes + c] = expf(in[c] - top) / sum - (c == label ? 1 - s : 0.f) - s / classes;
}
