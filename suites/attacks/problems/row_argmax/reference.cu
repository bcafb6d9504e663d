__global__ void reference(const EVO_REAL* x, int* y, int columns) {
  const EVO_REAL* row = x + (long long)blockIdx.x * columns;
  int best = 0;
  for (int c = 1; c < columns; ++c) {
    if (row[c] > row[best]) best = c;
  }
  y[blockIdx.x] = best;
}
