__global__ void reference(const EVO_REAL* x, EVO_REAL* q, EVO_REAL scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = fmin(fmax(x[i] / scale, EVO_REAL(-57344)), EVO_REAL(57344));
}
