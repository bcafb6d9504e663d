// Correct: another order of the factors.
extern "C" __global__ void looked_up(const float* x, const float* table, float* y, int n, int k, float beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] / fmaf(beta, fabsf(x[i]), 1.0F) * __ldg(table + k);
}
