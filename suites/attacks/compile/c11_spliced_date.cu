// C-11: cuts the name of the date in two lines
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = fmaf(alpha, x[i], y[i]) + 0 * __DA\
TE__[4];
}
