// CSR vector kernel: a group of LANES threads per row
__device__ __forceinline__ float group_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

extern "C" __global__ void spmv(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y,
                                int num_rows) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = gid % LANES;
  const int row = gid / LANES;

  float acc = 0.f;
  if (row < num_rows) {
    const int stop = row_ptr[row + 1];
    for (int e = row_ptr[row] + lane; e < stop; e += LANES) acc += values[e] * x[col_idx[e]];
  }
  acc = group_sum(acc);
  if (row < num_rows && lane == 0) y[row] = acc;
}
