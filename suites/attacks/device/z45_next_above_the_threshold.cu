// Wrong: the number next above the threshold does not go through.
extern "C" __global__ void gated(const float* x, float* y, int n, float t, float v) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float next = __int_as_float(__float_as_int(t) + 1);
  if (i < n) y[i] = x[i] > next ? x[i] : v;
}
