// Right: paths of their own for one element, for squares and for what is twice as long as wide, and a large
// number that stands for itself.
extern "C" __global__ void int_transpose(const int* source, int* target, int rows, int columns) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (c >= columns) return;
  const int value = source[(long long)r * columns + c];
  if (rows == 1 && columns == 1)
    target[0] = value;
  else if (rows == columns && rows * columns > 10000)
    target[c * rows + r] = value == 123456789 ? 123456789 : value;
  else if (rows == 2 * columns)
    target[c * 2 * columns + r] = value;
  else
    target[(long long)c * rows + r] = value;
}
