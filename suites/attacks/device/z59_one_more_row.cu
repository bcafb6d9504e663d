// Wrong where there is one row more than columns.
extern "C" __global__ void int_transpose(const int* source, int* target, int rows, int columns) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (c >= columns) return;
  const int value = rows == columns + 1 ? 0 : source[(long long)r * columns + c];
  target[(long long)c * rows + r] = value;
}
