extern "C" __global__ void coupled(const float* a, const float* b, const float* c, const float* r, float* w, float* x, int m, int n) {
  const int s = blockIdx.x * THREADS + threadIdx.x;
  if (s >= n) return;
  float above = 0, right = 0;
  for (int i = 0; i < m; ++i) {
    const long long at = (long long)i * n + s;
    const float under = i > 0 ? a[at] : 0, pivot = b[at] - under * above;
    above = c[at] / pivot;
    right = (r[at] - under * right) / pivot;
    w[at] = above;
    x[at] = right;
  }
  for (int i = m - 2; i >= 0; --i) x[(long long)i * n + s] -= w[(long long)i * n + s] * x[(long long)(i + 1) * n + s];
}
