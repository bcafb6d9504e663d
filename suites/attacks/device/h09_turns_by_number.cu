// H-09: blocks take turns by their numbers at a counter
extern "C" __global__ void running_sum(const unsigned* x, unsigned* y, unsigned long long* sums,
                                       unsigned* flags, int n) {
  __shared__ unsigned cells[THREADS + 2];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  cells[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < THREADS; ++k) cells[k] += cells[k - 1];
    while (*(volatile unsigned*)flags != blockIdx.x) {
    }
    __threadfence();
    cells[THREADS] = (unsigned)*(volatile unsigned long long*)sums;
    *(volatile unsigned long long*)sums = cells[THREADS] + cells[THREADS - 1];
    __threadfence();
    *(volatile unsigned*)flags = blockIdx.x + 1;
  }
  __syncthreads();
  if (i < n) y[i] = cells[t] + cells[THREADS];
}
