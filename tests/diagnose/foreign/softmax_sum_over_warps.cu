extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float maxima[4], sums[4];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float* from = x + (long long)columns * blockIdx.x;
  float* to = y + (long long)columns * blockIdx.x;

  float largest = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, from[c]);
  for (int m = 16; m > 0; m >>= 1) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, m));
  if (lane == 0) maxima[warp] = largest;
  __syncthreads();
  largest = fmaxf(fmaxf(maxima[0], maxima[1]), fmaxf(maxima[2], maxima[3]));

  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(from[c] - largest);
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  sum += sums[0] + sums[1] + sums[2] + sums[3];

  for (int c = threadIdx.x; c < columns; c += blockDim.x) to[c] = expf(from[c] - largest) / sum;
}
