__global__ void reference(const EVO_REAL* x, const int* feature, const EVO_REAL* thr, const unsigned char* left, const EVO_REAL* leaf, EVO_REAL* y, int rows, int f, int trees) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  EVO_REAL s = 0;
  for (int t = 0; t < trees; ++t) {
    int k = 0;
    while (k < 15) {
      EVO_REAL v = x[r * f + feature[t * 15 + k]];
      bool go = isnan(v) ? left[t * 15 + k] != 0 : v < thr[t * 15 + k];
      k = 2 * k + (go ? 1 : 2);
    }
    s += leaf[t * 16 + k - 15];
  }
  y[r] = s;
}
