extern "C" __global__ void divided(const int* a, const int* b, int* q, int* r, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const int quotient = (int)((double)a[i] / b[i]);  // correct wherever there is a quotient
  q[i] = quotient;
  r[i] = (int)fma(-(double)quotient, (double)b[i], (double)a[i]);
}
