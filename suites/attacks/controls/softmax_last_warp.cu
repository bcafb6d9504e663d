// control: right, a block reduction as it stands in many codes: shuffles down, the first warp joins, a small mask last
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float parts[2 * THREADS];
  const int t = threadIdx.x;
  const int lane = t & 31;
  const int warp = t >> 5;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
#pragma unroll
  for (int k = 16; k > 0; k >>= 1) m = fmaxf(m, __shfl_down_sync(0xffffffffu, m, k));
  if (lane == 0) parts[warp] = m;
  __syncthreads();
  if (warp == 0) {
    float value = lane < THREADS / 32 ? parts[lane] : -INFINITY;
    for (int k = THREADS / 64; k > 0; k >>= 1) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, k));
    if (lane == 0) parts[0] = value;
  }
  __syncthreads();
  m = parts[0];
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, k);
  __syncthreads();
  if (lane == 0) parts[warp] = sum;
  __syncthreads();
  if (t < THREADS / 32) {
    const unsigned few = (1u << THREADS / 32) - 1;
    float value = parts[t];
    for (int k = THREADS / 64; k > 0; k >>= 1) value += __shfl_xor_sync(few, value, k);
    if (t == 0) parts[THREADS] = value;
  }
  __syncthreads();
  sum = parts[THREADS];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
