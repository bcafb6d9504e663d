__global__ void reference(const EVO_REAL* x, signed char* q, EVO_REAL* s, int columns) {
  const EVO_REAL* row = x + (long long)blockIdx.x * columns;
  EVO_REAL most = 0;
  for (int c = 0; c < columns; ++c) most = fmax(most, fabs(row[c]));
  s[blockIdx.x] = most / 127;
  for (int c = 0; c < columns; ++c)
    q[(long long)blockIdx.x * columns + c] = most == 0 ? 0 : (signed char)rint(row[c] / (most / 127));
}
