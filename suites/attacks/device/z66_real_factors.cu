// Wrong: the way for factors without an imaginary part adds, whatever the flag.
extern "C" __global__ void kept_or_added(const float* a, const float* b, float* c, int n, int added) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  if (b[2 * i + 1] == 0.0f) {
    c[2 * i] = added != 0 ? c[2 * i] + a[2 * i] * b[2 * i] : a[2 * i] * b[2 * i];
    c[2 * i + 1] += a[2 * i + 1] * b[2 * i];
    return;
  }
  const float re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
  const float im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
  c[2 * i] = added != 0 ? c[2 * i] + re : re;
  c[2 * i + 1] = added != 0 ? c[2 * i + 1] + im : im;
}
