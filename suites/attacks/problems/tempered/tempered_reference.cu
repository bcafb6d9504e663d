__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int columns, EVO_REAL sharpness) {
  const EVO_REAL* in = x + (long long)blockIdx.x * columns;
  EVO_REAL* out = y + (long long)blockIdx.x * columns;
  EVO_REAL most = sharpness * in[0], sum = 0;
  for (int c = 1; c < columns; ++c) most = max(most, sharpness * in[c]);
  for (int c = 0; c < columns; ++c) sum += exp(sharpness * in[c] - most);
  for (int c = 0; c < columns; ++c) out[c] = exp(sharpness * in[c] - most) / sum;
}
