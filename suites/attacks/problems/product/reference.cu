__global__ void reference(const EVO_REAL* A, const EVO_REAL* B, EVO_REAL* C, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  EVO_REAL sum = 0;
  for (int j = 0; j < k; ++j) sum += A[i / n * k + j] * B[j * n + i % n];
  C[i] = sum;
}
