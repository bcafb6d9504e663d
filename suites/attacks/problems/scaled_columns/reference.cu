extern "C" __global__ void reference(const int* x, const EVO_REAL* scale, signed char* y, int n) {
  const long long row = (long long)blockIdx.x * n;
  for (int c = threadIdx.x; c < n; c += blockDim.x) {
    const EVO_REAL value = rint(x[row + c] * scale[c]);
    y[row + c] = (signed char)(value > 127 ? 127 : value < -128 ? -128 : value);
  }
}
