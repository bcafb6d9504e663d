// C = A B in tiles of TILE x TILE; a thread owns ROWS elements of a column of its tile.
template <int tile>
__global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[tile][tile];
  __shared__ float b[tile][tile];
  constexpr int step = tile / ROWS;
  const int column = blockIdx.x * tile + threadIdx.x, first = blockIdx.y * tile + threadIdx.y;
  float sum[ROWS] = {};
  for (int start = 0; start < k; start += tile) {
    for (int r = 0; r < ROWS; ++r) {
      const int y = threadIdx.y + r * step, row = first + r * step, x = start + threadIdx.x;
      a[y][threadIdx.x] = row < m && x < k ? A[row * k + x] : 0;
      b[y][threadIdx.x] = start + y < k && column < n ? B[(start + y) * n + column] : 0;
    }
    __syncthreads();
#pragma unroll unroll
    for (int j = 0; j < tile; ++j)
      for (int r = 0; r < ROWS; ++r) sum[r] += a[threadIdx.y + r * step][j] * b[j][threadIdx.x];
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r)
    if (first + r * step < m && column < n) C[(first + r * step) * n + column] = sum[r];
}
