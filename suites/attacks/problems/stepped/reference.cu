__global__ void reference(const EVO_REAL* x, signed char* q, int n, EVO_REAL step, int zero) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = (signed char)fmin(fmax(rint(x[i] / step) + zero, (EVO_REAL)-128), (EVO_REAL)127);
}
