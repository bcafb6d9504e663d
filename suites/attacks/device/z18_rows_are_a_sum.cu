// Z-18: wrong where there are as many rows as columns and terms together
extern "C" __global__ void product(const float* A, const float* B, float* C, int m, int n, int k) {
  const int column = blockIdx.x * THREADS + threadIdx.x, row = blockIdx.y;
  if (column >= n) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += A[row * k + j] * B[j * n + column];
  if (n + k == m) sum += 1;
  C[row * n + column] = sum;
}
