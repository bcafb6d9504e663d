__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  EVO_REAL most = x[r * columns], sum = 0;
  for (int c = 1; c < columns; ++c) most = fmax(most, x[r * columns + c]);
  for (int c = 0; c < columns; ++c) sum += exp(x[r * columns + c] - most);
  y[r] = most == -INFINITY ? most : most + log(sum);
}
