// A and B tiles live in one pool; A's rows are padded by one word against bank conflicts.
template <int W>
__global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float pool[2 * W * W];
  float* const sa = pool;
  float* const sb = pool + W * W;
  constexpr int PITCH_A = W + 1;
  constexpr int PITCH_B = W;
  constexpr int DY = W / ROWS;

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int gx = blockIdx.x * W + tx;
  const int gy = blockIdx.y * W + ty;
  float out[ROWS] = {};

  for (int base = 0; base < k; base += W) {
    for (int i = 0; i < ROWS; ++i) {
      const int ly = ty + i * DY;
      sa[ly * PITCH_A + tx] = (gy + i * DY < m && base + tx < k) ? A[(gy + i * DY) * k + base + tx] : 0.f;
      sb[ly * PITCH_B + tx] = (gx < n && base + ly < k) ? B[(base + ly) * n + gx] : 0.f;
    }
    __syncthreads();
    for (int p = 0; p < W; ++p)
      for (int i = 0; i < ROWS; ++i) out[i] += sa[(ty + i * DY) * PITCH_A + p] * sb[p * PITCH_B + tx];
    __syncthreads();
  }

  for (int i = 0; i < ROWS; ++i)
    if (gy + i * DY < m && gx < n) C[(gy + i * DY) * n + gx] = out[i];
}
