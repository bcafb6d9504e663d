// CSR vector kernel: a group of LANES threads per row
extern "C" __global__ void spmv(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y,
                                int num_rows) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = gid % LANES;
  const int row = gid / LANES;

  if (row < num_rows) {
    float acc = 0.f;
    const int stop = row_ptr[row + 1];
    for (int e = row_ptr[row] + lane; e < stop; e += LANES) acc += values[e] * x[col_idx[e]];
    for (int o = LANES / 2; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o, LANES);
    if (lane == 0) y[row] = acc;
  }
}
