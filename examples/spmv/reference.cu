__global__ void reference(const int* starts, const int* columns, const EVO_REAL* entries, const EVO_REAL* x,
                          EVO_REAL* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  EVO_REAL sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += entries[i] * x[columns[i]];
  y[row] = sum;
}
