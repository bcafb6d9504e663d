extern "C" __global__ void divided(const int* a, const int* b, int* q, int* r, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n || b[i] == 0) return;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
