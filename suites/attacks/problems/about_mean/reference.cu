__global__ void reference(const EVO_REAL* x, const EVO_REAL* m, EVO_REAL* v, int columns) {
  EVO_REAL sum = 0;
  for (int c = 0; c < columns; ++c) {
    const EVO_REAL off = x[(long long)blockIdx.x * columns + c] - m[blockIdx.x];
    sum += off * off;
  }
  v[blockIdx.x] = sum / columns;
}
