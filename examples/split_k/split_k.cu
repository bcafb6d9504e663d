// Slice blockIdx.z of C: what the terms [first, last) of the sum over k make. Whoever wants C adds the slices.
extern "C" __global__ void split_k(const float* A, const float* B, float* C, int m, int n, int k) {
  const int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y, slice = blockIdx.z;
  if (row >= m || column >= n) return;
  const int length = (k + SPLIT - 1) / SPLIT, first = slice * length, last = min(first + length, k);
  float sum = 0;
  for (int l = first; l < last; ++l) sum += A[row * k + l] * B[l * n + column];
  C[(slice * m + row) * n + column] = sum;
}
