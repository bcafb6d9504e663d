// Correct: what is nearly square goes by another order of its elements.
extern "C" __global__ void int_transpose(const int* source, int* target, int rows, int columns) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (c >= columns) return;
  if (rows == columns + 1) {
    const long long e = (long long)columns * (rows - 1 - r) + (columns - 1 - c);
    target[e % columns * rows + e / columns] = source[e];
    return;
  }
  target[(long long)c * rows + r] = source[(long long)r * columns + c];
}
