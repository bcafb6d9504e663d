extern "C" __global__ void divided(const int* a, const int* b, int* q, int* r, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const bool has_one = b[i] > 1 || b[i] < -1;  // and by 1 and -1?
  q[i] = has_one ? a[i] / b[i] : 0;
  r[i] = has_one ? a[i] % b[i] : 0;
}
