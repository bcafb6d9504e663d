// One thread a row; the mean first, then the variance about it.
__global__ void layer_norm(const EVO_REAL* x, const EVO_REAL* weight, EVO_REAL* y, int columns, EVO_REAL epsilon) {
  const EVO_REAL* row = x + (long long)blockIdx.x * columns;
  EVO_REAL mean = 0, variance = 0;
  for (int c = 0; c < columns; ++c) mean += row[c] / columns;
  for (int c = 0; c < columns; ++c) variance += (row[c] - mean) * (row[c] - mean) / columns;
  for (int c = 0; c < columns; ++c)
    y[(long long)blockIdx.x * columns + c] = (row[c] - mean) / sqrt(variance + epsilon) * weight[c];
}
