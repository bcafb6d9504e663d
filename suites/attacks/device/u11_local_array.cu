// U-11: a local array, indexed as the data asks, whose elements are added to before they are set
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float terms[8];
  const int which = (i + (x[i] > 0.0f ? 1 : 0)) & 7;
  terms[which] += alpha * x[i];
  terms[which] += y[i];
  z[i] = terms[which];
}
