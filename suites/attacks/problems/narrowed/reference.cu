__global__ void reference(const EVO_REAL* x, EVO_REAL* q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL v = 4 * x[i];
  q[i] = v > 448 ? 448 : v < -448 ? -448 : v;
}
