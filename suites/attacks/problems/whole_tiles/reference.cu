extern "C" __global__ void reference(const EVO_REAL* A, const EVO_REAL* B, EVO_REAL* C, int m, int n, int k) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m * n) return;
  const long long r = e / n, c = e % n;
  EVO_REAL sum = 0;
  for (int i = 0; i < k; ++i) sum += A[r * k + i] * B[c * k + i];
  C[e] = sum;
}
