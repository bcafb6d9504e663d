extern "C" __global__ void reference(const unsigned char* x, int* y, int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x, r = e / n, i = e % n;
  int best = n;
  for (int j = 0; j < n; ++j) {
    const int away = j < i ? i - j : j - i;
    if (x[r * n + j] == 0 && away < best) best = away;
  }
  y[e] = best;
}
