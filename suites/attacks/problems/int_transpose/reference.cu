__global__ void reference(const int* source, int* target, int rows, int columns) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long long)rows * columns) return;
  target[i % columns * rows + i / columns] = source[i];
}
