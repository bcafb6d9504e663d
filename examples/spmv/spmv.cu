// LANES threads work on a row.
extern "C" __global__ void spmv(const int* starts, const int* columns, const float* entries, const float* x, float* y,
                     int rows) {
  const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
  const long long row = thread / LANES;
  float sum = 0;
  if (row < rows)
    for (int i = starts[row] + thread % LANES; i < starts[row + 1]; i += LANES) sum += entries[i] * x[columns[i]];
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance, LANES);
  if (row < rows && thread % LANES == 0) y[row] = sum;
}
