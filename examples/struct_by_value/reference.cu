__global__ void reference(const EVO_REAL* source, EVO_REAL* result, int height, int width, EVO_REAL gain,
                          EVO_REAL left, EVO_REAL centre, EVO_REAL right, EVO_REAL bias) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, x = t % width;
  if (t >= height * width) return;
  EVO_REAL sum = centre * source[t] + bias;
  if (x > 0) sum += left * source[t - 1];
  if (x + 1 < width) sum += right * source[t + 1];
  result[t] = gain * sum;
}
