__global__ void reference(const EVO_REAL* score, const EVO_REAL* w, EVO_REAL* y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const EVO_REAL* const own = score + (long long)r * columns;
  int best = 0;
  for (int c = 1; c < columns; ++c) {
    if (own[c] > own[best]) best = c;
  }
  y[r] = w[(long long)r * columns + best];
}
