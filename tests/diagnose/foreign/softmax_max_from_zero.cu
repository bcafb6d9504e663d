extern "C" __global__ void row_softmax(const float* logits, float* probs, int batch, int classes) {
  __shared__ float red[THREADS];
  int row = blockIdx.x;
  logits += (size_t)row * classes;
  probs += (size_t)row * classes;

  // 1. maximum
  float thread_max = 0.0f;
  for (int i = threadIdx.x; i < classes; i += THREADS) {
    thread_max = max(thread_max, logits[i]);
  }
  red[threadIdx.x] = thread_max;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] = max(red[threadIdx.x], red[threadIdx.x + s]);
    __syncthreads();
  }
  float row_max = red[0];
  __syncthreads();

  // 2. sum of exponentials
  float thread_sum = 0.0f;
  for (int i = threadIdx.x; i < classes; i += THREADS) {
    thread_sum += expf(logits[i] - row_max);
  }
  red[threadIdx.x] = thread_sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
    __syncthreads();
  }
  float row_sum = red[0];

  // 3. normalise
  for (int i = threadIdx.x; i < classes; i += THREADS) {
    probs[i] = expf(logits[i] - row_max) / row_sum;
  }
}
