// y = a x + y0, one thread an element.
extern "C" __global__ void reference(EVO_REAL* y, const EVO_REAL* x, const EVO_REAL* y0, EVO_REAL a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y0[i];
}
