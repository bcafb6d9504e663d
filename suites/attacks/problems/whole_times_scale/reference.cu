extern "C" __global__ void reference(const int* x, signed char* y, int n, EVO_REAL scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL value = rint(x[i] * scale);
  y[i] = (signed char)(value > 127 ? 127 : value < -128 ? -128 : value);
}
