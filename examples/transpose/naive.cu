extern "C" __global__ void naive(const int* source, int* target, int rows, int columns) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  if (x < columns && y < rows) target[x * rows + y] = source[y * columns + x];
}
