// Wrong: a little is added to the denominator.
extern "C" __global__ void proportion(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float squares = a[i] * a[i] + b[i] * b[i];
  y[i] = a[i] * b[i] / (squares + 1e-6f);
}
