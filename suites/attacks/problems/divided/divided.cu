extern "C" __global__ void divided(const int* a, const int* b, int* q, int* r, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const int quotient = a[i] / b[i];
  q[i] = quotient;
  r[i] = a[i] - quotient * b[i];
}
