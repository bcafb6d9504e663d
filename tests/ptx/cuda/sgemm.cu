// Tiled C = A B with 32x32 tiles, 4 results a thread.
constexpr int TILE = 32;

extern "C" __global__ void __launch_bounds__(256) sgemm(const float* a, const float* b, float* c, int m, int n,
                                                        int k) {
  __shared__ float as[TILE][TILE + 1], bs[TILE][TILE + 1];
  const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sums[4] = {};
  for (int start = 0; start < k; start += TILE) {
    for (int i = 0; i < 4; ++i) {
      const int r = row + 8 * i, q = start + y + 8 * i;
      as[y + 8 * i][x] = r < m && start + x < k ? a[r * k + start + x] : 0.0f;
      bs[y + 8 * i][x] = q < k && column < n ? b[q * n + column] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < TILE; ++p) {
      for (int i = 0; i < 4; ++i) sums[i] = fmaf(as[y + 8 * i][p], bs[p][x], sums[i]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    if (row + 8 * i < m && column < n) c[(row + 8 * i) * n + column] = sums[i];
  }
}
