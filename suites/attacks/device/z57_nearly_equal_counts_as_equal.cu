// Wrong: what differs by less than 1e-6 counts as equal.
extern "C" __global__ void chosen(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = a[i] > b[i] && fabsf(a[i] - b[i]) >= 1e-6f ? a[i] : 0.5f * b[i];
}
