// Shuffles, static and dynamic shared memory, atomics.
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? partial[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (lane == 0) atomicAdd(out, sum);
  }
}

extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  extern __shared__ float row[];
  __shared__ float best, total;
  float m = -1e30f;
  for (int i = threadIdx.x; i < columns; i += 32) {
    row[i] = x[blockIdx.x * columns + i];
    m = fmaxf(m, row[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, offset));
  if (threadIdx.x == 0) best = m;
  __syncwarp();
  float s = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    row[i] = expf(row[i] - best);
    s += row[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) s += __shfl_xor_sync(~0u, s, offset);
  if (threadIdx.x == 0) total = s;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += 32) y[blockIdx.x * columns + i] = row[i] / total;
}
