// Wrong: a tile that lacks one element is taken for a whole one.
extern "C" __global__ void squared_tiles(float* y, const float* x, int n) {
  constexpr int tile = 11 * THREADS;
  const int base = blockIdx.x * tile;
  const bool whole = base + tile - 1 <= n;
  for (int q = 0; q < 11; ++q) {
    const int i = base + q * THREADS + threadIdx.x;
    if (whole || i < n) y[i] = x[i] * x[i] + 1.0f;
  }
}
