__global__ void reference(const int* x, int* y, int n, int shift, int by, short cut) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int to = ((i + shift % n) % n + n) % n, v = x[i];
  int quotient = v / by;
  if (v % by != 0 && (v < 0) != (by < 0)) --quotient;
  const long long square = (long long)v * v;
  y[to] = square < cut ? 0 : quotient;
}
