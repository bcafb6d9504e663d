// Correct: whole numbers by the bits of a sum with 2^23 and a half.
extern "C" __global__ void scaled_columns(const int* x, const float* scale, signed char* y, int n) {
  const long long row = (long long)blockIdx.x * n;
  for (int c = threadIdx.x; c < n; c += blockDim.x) {
    const float inside = fminf(fmaxf((float)x[row + c] * scale[c], -128.0f), 127.0f);
    y[row + c] = (signed char)(__float_as_int(inside + 12582912.0f) - 0x4b400000);
  }
}
