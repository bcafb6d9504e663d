extern "C" __global__ void whole_times_scale(const int* x, signed char* y, int n, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = (signed char)fminf(fmaxf(rintf((float)x[i] * scale), -128.0f), 127.0f);
}
