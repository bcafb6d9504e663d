// control: right, the other way round
extern "C" __global__ void chosen(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = b[i] >= a[i] ? b[i] / 2 : a[i];
}
