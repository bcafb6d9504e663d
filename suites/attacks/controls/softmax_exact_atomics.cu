// control: right, with atomic sums of whole numbers as floats, which are exact in every order
// The threads that have an element are counted with float atomics, and the tree goes as far as they do.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  if (t == 0) sums[0] = 0;
  __syncthreads();
  if (t < columns) atomicAdd(&sums[0], 1.0f);
  float m = -INFINITY;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  largest[t] = m;
  __syncthreads();
  const int busy = static_cast<int>(sums[0]);
  for (int i = 0; i < busy; ++i) m = fmaxf(m, largest[i]);
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  __syncthreads();
  sums[t] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < busy; ++i) sum += sums[i];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
