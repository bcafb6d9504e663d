extern "C" __global__ void reference(const EVO_REAL* a, const EVO_REAL* b, const EVO_REAL* c, const EVO_REAL* r, EVO_REAL* w, EVO_REAL* x, int m, int n) {
  const int s = blockIdx.x;
  EVO_REAL above = 0, right = 0;
  for (int i = 0; i < m; ++i) {
    const long long at = (long long)i * n + s;
    const EVO_REAL under = i > 0 ? a[at] : 0, pivot = b[at] - under * above;
    above = c[at] / pivot;
    right = (r[at] - under * right) / pivot;
    w[at] = above;
    x[at] = right;
  }
  for (int i = m - 2; i >= 0; --i) x[(long long)i * n + s] -= w[(long long)i * n + s] * x[(long long)(i + 1) * n + s];
}
