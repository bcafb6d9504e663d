__global__ void reference(const int* source, int* target, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) target[i] = source[i % rows * columns + i / rows];
}
