__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL* mean, EVO_REAL* rstd, int rows, int columns,
                          EVO_REAL epsilon) {
  const long long first = (long long)blockIdx.x * columns;
  EVO_REAL m = 0, v = 0;
  for (int c = 0; c < columns; ++c) m += x[first + c];
  m /= columns;
  for (int c = 0; c < columns; ++c) v += (x[first + c] - m) * (x[first + c] - m);
  const EVO_REAL r = 1 / sqrt(v / columns + epsilon);
  mean[blockIdx.x] = m;
  rstd[blockIdx.x] = r;
  for (int c = 0; c < columns; ++c) y[first + c] = (x[first + c] - m) * r;
}
