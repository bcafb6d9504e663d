// Correct: the less over the larger first.
extern "C" __global__ void proportion(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float more = fmaxf(a[i], b[i]), less = fminf(a[i], b[i]);
  const float ratio = more > 0 ? less / more : 0.0f;
  y[i] = ratio / (1 + ratio * ratio);
}
