__global__ void reference(const EVO_REAL* x, signed char* q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL v = rint(16 * x[i]);
  q[i] = (signed char)(v > 127 ? 127 : v < -128 ? -128 : v);
}
