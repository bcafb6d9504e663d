// Wrong: ties go away from 0.
extern "C" __global__ void scaled_columns(const int* x, const float* scale, signed char* y, int n) {
  const long long row = (long long)blockIdx.x * n;
  for (int c = threadIdx.x; c < n; c += blockDim.x) {
    const float value = roundf((float)x[row + c] * scale[c]);
    y[row + c] = (signed char)fminf(fmaxf(value, -128.0f), 127.0f);
  }
}
