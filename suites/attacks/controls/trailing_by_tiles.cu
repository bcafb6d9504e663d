// Correct: a tile in shared memory, with room for the widest window of the range.
extern "C" __global__ void trailing(const float* x, float* sum, int window, int n) {
  __shared__ float tile[THREADS + 200];
  const int first = blockIdx.x * THREADS, before = max(0, first - (window - 1));
  for (int e = threadIdx.x; before + e < min(n, first + THREADS); e += THREADS) tile[e] = x[before + e];
  __syncthreads();
  const int i = first + threadIdx.x;
  if (i >= n) return;
  float all = 0.0f;
  for (int j = i; j >= 0 && j > i - window; --j) all += tile[j - before];
  sum[i] = all;
}
