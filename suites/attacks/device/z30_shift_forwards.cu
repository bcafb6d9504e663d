// Z-30: a shift below 0 leaves the array
extern "C" __global__ void turned(const int* x, int* y, int n, int shift, int by, short cut) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int to = i + shift % n;
  if (to >= n) to -= n;
  const int v = x[i], quotient = v / by, left = v - quotient * by;
  const long long square = (long long)v * v;
  y[to] = square < cut ? 0 : quotient - (left != 0 && (left ^ by) < 0 ? 1 : 0);
}
