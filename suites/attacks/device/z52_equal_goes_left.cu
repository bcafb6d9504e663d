// Wrong: what is equal to the threshold goes left.
extern "C" __global__ void forest(const float* x, const int* feature, const float* thr, const unsigned char* left, const float* leaf, float* y, int rows, int f, int trees) {
  const int r = blockIdx.x * THREADS + threadIdx.x;
  if (r >= rows) return;
  float s = 0.f;
  for (int t = 0; t < trees; ++t) {
    int k = 0;
#pragma unroll
    for (int d = 0; d < 4; ++d) {
      const int e = t * 15 + k;
      const float v = x[(size_t)r * f + feature[e]];
      bool go = v <= thr[e];
      if (v != v) go = left[e];
      k = 2 * k + 2 - go;
    }
    s += leaf[t * 16 + k - 15];
  }
  y[r] = s;
}
