// control: right, by the difference
extern "C" __global__ void tallied(const int* a, const int* b, const int* c, int* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = (unsigned)c[i] - a[i] == (unsigned)b[i] ? 1 : a[i] == b[i] ? 2 : 0;
}
