// Correct: rows begin at a pointer of their own.
extern "C" __global__ void row_sums(const float* x, float* y, int m, int n) {
  __shared__ float cells[THREADS];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) sum += (x + (long long)blockIdx.x * n)[i];
  cells[threadIdx.x] = sum;
  __syncthreads();
  for (int o = THREADS / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) cells[threadIdx.x] += cells[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = cells[0];
}
