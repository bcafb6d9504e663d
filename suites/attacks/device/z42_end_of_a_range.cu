// Wrong: the last entry of the table is taken for the first.
extern "C" __global__ void looked_up(const float* x, const float* table, float* y, int n, int k, float beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * table[k & 7] / (1 + beta * fabsf(x[i]));
}
