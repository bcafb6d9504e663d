// C = A B, one thread an element; WIDTH is the compile-time axis.
extern "C" __global__ void reference(EVO_REAL* C, const EVO_REAL* A, const EVO_REAL* B) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= WIDTH) return;
  EVO_REAL sum = 0;
  for (int k = 0; k < WIDTH; ++k) sum += A[row * WIDTH + k] * B[k * WIDTH + column];
  C[row * WIDTH + column] = sum;
}
