// Wrong: takes b for a that is shifted by one.
extern "C" __global__ void chosen(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = i > 0 && b[i] == a[i - 1] ? a[i] : a[i] > b[i] ? a[i] : 0.5f * b[i];
}
