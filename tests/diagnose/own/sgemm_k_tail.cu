// Each warp-row loads a strip of A and a strip of B; zeros outside of the matrices.
template <int TS>
__global__ void sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, const int m,
                      const int n, const int k) {
  __shared__ float Asub[TS][TS];
  __shared__ float Bsub[TS][TS];
  const int lx = threadIdx.x, ly = threadIdx.y;
  const int rts = TS / ROWS;
  const int gx = TS * blockIdx.x + lx;
  const int gy = TS * blockIdx.y + ly;

  float acc[ROWS];
  for (int w = 0; w < ROWS; w++) acc[w] = 0.0f;

  for (int t = 0; t * TS < k; t++) {
    for (int w = 0; w < ROWS; w++) {
      const int ay = gy + w * rts;
      const int by = t * TS + ly + w * rts;
      float va = 0.0f;
      float vb = 0.0f;
      if (ay < m) va = A[ay * k + t * TS + lx];
      if (by < k && gx < n) vb = B[by * n + gx];
      Asub[ly + w * rts][lx] = va;
      Bsub[ly + w * rts][lx] = vb;
    }
    __syncthreads();
    for (int p = 0; p < TS; p++)
      for (int w = 0; w < ROWS; w++) acc[w] += Asub[ly + w * rts][p] * Bsub[p][lx];
    __syncthreads();
  }

  for (int w = 0; w < ROWS; w++)
    if (gy + w * rts < m && gx < n) C[(gy + w * rts) * n + gx] = acc[w];
}
