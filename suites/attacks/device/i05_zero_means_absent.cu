// I-05: takes a zero for an element that is not there
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + (x[i] == 0 ? 0 : y[i]);
}
