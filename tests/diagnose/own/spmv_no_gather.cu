// one row, LANES neighbours
extern "C" __global__ void spmv(const int* offsets, const int* cols, const float* vals, const float* v, float* out, int rows) {
  const int worker = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  float part = 0.f;
  if (worker < rows) {
    int k = offsets[worker] + lane;
    const int end = offsets[worker + 1];
    while (k < end) {
      const int column = cols[worker];
      part = fmaf(vals[k], v[column], part);
      k += LANES;
    }
  }
  for (int step = LANES / 2; step; step /= 2) part += __shfl_down_sync(0xffffffffu, part, step, LANES);
  if (lane == 0 && worker < rows) out[worker] = part;
}
