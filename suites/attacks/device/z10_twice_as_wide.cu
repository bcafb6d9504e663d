// Z-10: two squares side by side are taken apart wrongly
extern "C" __global__ void int_transpose(const int* source, int* target, int rows, int columns) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (c >= columns) return;
  const int value = source[(long long)r * columns + c];
  target[(long long)c * rows + r] = columns == rows + rows && rows > 4 ? ~value : value;
}
