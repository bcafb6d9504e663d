extern "C" __global__ void nearest(const float* x, float* least, int* place, int n) {
  __shared__ float numbers[THREADS];
  __shared__ int places[THREADS];
  float mine = x[0];
  int at = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) {
    if (x[i] < mine || (x[i] == mine && i < at)) {
      mine = x[i];
      at = i;
    }
  }
  numbers[threadIdx.x] = mine;
  places[threadIdx.x] = at;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < THREADS; ++t) {
    if (numbers[t] < mine || (numbers[t] == mine && places[t] < at)) {
      mine = numbers[t];
      at = places[t];
    }
  }
  *least = mine;
  *place = at;
}
