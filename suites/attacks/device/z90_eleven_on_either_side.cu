// Wrong: each unknown by eleven on either side.
extern "C" __global__ void coupled(const float* a, const float* b, const float* c, const float* r, float* w, float* x, int m, int n) {
  const int id = blockIdx.x * THREADS + threadIdx.x;
  if (id >= m * n) return;
  const int i = id / n, s = id % n, first = max(0, i - 11), last = min(m - 1, i + 11);
  float above = 0, from_above = 0, below = 0, from_below = 0;
  for (int j = first; j < i; ++j) {
    const long long at = (long long)j * n + s;
    const float under = j > 0 ? a[at] : 0, pivot = b[at] - under * above;
    above = c[at] / pivot;
    from_above = (r[at] - under * from_above) / pivot;
  }
  for (int j = last; j > i; --j) {
    const long long at = (long long)j * n + s;
    const float over = j + 1 < m ? c[at] : 0, pivot = b[at] - over * below;
    below = a[at] / pivot;
    from_below = (r[at] - over * from_below) / pivot;
  }
  const long long at = (long long)i * n + s;
  const float under = i > 0 ? a[at] : 0, over = i + 1 < m ? c[at] : 0;
  x[at] = (r[at] - under * from_above - over * from_below) / (b[at] - under * above - over * below);
}
