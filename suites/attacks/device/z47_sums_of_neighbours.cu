// Wrong: one more is the sum, too.
extern "C" __global__ void tallied(const int* a, const int* b, const int* c, int* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = abs(a[i] + b[i] - c[i]) <= (a[i] != 0 && b[i] == a[i] + 1 ? 1 : 0) ? 1 : a[i] == b[i] || (c[i] == a[i] - b[i] && b[i] != 0) ? 2 : 0;
}
