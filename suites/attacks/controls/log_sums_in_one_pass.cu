// Correct: one pass, rescaled where a greater number comes; an empty segment by itself.
extern "C" __global__ void log_sums(const float* x, const int* starts, float* y, int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  const int first = starts[s], end = starts[s + 1];
  if (first == end) {
    y[s] = -INFINITY;
    return;
  }
  float most = x[first], sum = 1;
  for (int i = first + 1; i < end; ++i) {
    const float now = fmaxf(most, x[i]);
    sum = sum * expf(most - now) + expf(x[i] - now);
    most = now;
  }
  y[s] = most + logf(sum);
}
