// Z-14: an index goes through a float, which holds whole numbers to 2^24
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const float place = static_cast<float>(blockIdx.x) * THREADS + static_cast<float>(threadIdx.x);
  const int i = static_cast<int>(place);
  if (i < n) y[i] = 2 * x[i] + 1;
}
