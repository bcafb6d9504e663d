// Wrong: the last tile has no elements where n is a multiple of a tile.
extern "C" __global__ void squared_tiles(float* y, const float* x, int n) {
  constexpr int tile = 11 * THREADS;
  const int base = blockIdx.x * tile, valid = blockIdx.x == gridDim.x - 1 ? n % tile : tile;
  for (int q = 0; q < 11; ++q) {
    const int i = q * THREADS + threadIdx.x;
    if (i < valid) y[base + i] = x[base + i] * x[base + i] + 1.0f;
  }
}
