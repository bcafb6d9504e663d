struct Best {
  float value;
  int place;
};

__device__ Best better(Best a, Best b) {
  if (b.value > a.value || (b.value == a.value && b.place < a.place)) return b;
  return a;
}

extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  __shared__ Best all[THREADS];
  Best mine = {-INFINITY, 0x7fffffff};
  for (int c = threadIdx.x; c < columns; c += THREADS) mine = better(mine, Best{x[(size_t)blockIdx.x * columns + c], c});
  all[threadIdx.x] = mine;
  for (int half = THREADS / 2; half >= 1; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] = better(all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = all[0].place;
}
