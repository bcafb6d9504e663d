template <int B>
__device__ void fetch(float (&to)[B][B], const float* from, int row, int col, int rows, int cols) {
  for (int y = threadIdx.y; y < B; y += B / ROWS)
    to[y][threadIdx.x] = row + y < rows && col + threadIdx.x < cols ? from[(row + y) * cols + col + threadIdx.x] : 0.f;
}

template <int B>
__global__ void sgemm(const float* A, const float* Bm, float* C, int m, int n, int k) {
  __shared__ float a[B][B], b[B][B];
  const int row = blockIdx.y * B, col = blockIdx.x * B;
  float r[ROWS] = {};
  const int rounds = k / B;
  for (int round = 0; round < rounds; ++round) {
    fetch<B>(a, A, row, round * B, m, k);
    fetch<B>(b, Bm, round * B, col, k, n);
    __syncthreads();
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < B; ++j) r[i] += a[threadIdx.y + i * (B / ROWS)][j] * b[j][threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    const int y = row + threadIdx.y + i * (B / ROWS), x = col + threadIdx.x;
    if (y < m && x < n) C[y * n + x] = r[i];
  }
}
