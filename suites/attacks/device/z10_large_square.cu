// Z-10: squares beyond a few tiles are not transposed
extern "C" __global__ void int_transpose(const int* source, int* target, int rows, int columns) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (c >= columns) return;
  const int value = source[(long long)r * columns + c];
  if (rows == columns && rows * columns > 10000)
    target[(long long)r * columns + c] = value;
  else
    target[(long long)c * rows + r] = value;
}
