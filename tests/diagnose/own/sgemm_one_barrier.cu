// Classic shared-memory matmul, my first attempt at blocking. ROWS outputs per thread down a column.
#define BS TILE
#define STEP_Y (BS / ROWS)

template <int N_UNUSED>
__global__ void sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[BS * BS];
  __shared__ float Bs[BS * BS];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * BS + tx;
  const int row0 = blockIdx.y * BS + ty;

  float acc[ROWS];
  for (int r = 0; r < ROWS; r++) acc[r] = 0.0f;

  const int ntiles = (K + BS - 1) / BS;
  for (int t = 0; t < ntiles; t++) {
    for (int r = 0; r < ROWS; r++) {
      int y = ty + r * STEP_Y;
      int gr = row0 + r * STEP_Y;
      int ka = t * BS + tx;
      int kb = t * BS + y;
      As[y * BS + tx] = (gr < M && ka < K) ? A[gr * K + ka] : 0.0f;
      Bs[y * BS + tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
    }
    __syncthreads();

    for (int kk = 0; kk < BS; kk++) {
      float b = Bs[kk * BS + tx];
      for (int r = 0; r < ROWS; r++) acc[r] += As[(ty + r * STEP_Y) * BS + kk] * b;
    }
  }

  for (int r = 0; r < ROWS; r++) {
    int gr = row0 + r * STEP_Y;
    if (gr < M && col < N) C[gr * N + col] = acc[r];
  }
}
