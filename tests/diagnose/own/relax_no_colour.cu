// One sweep: pull every inner point of the colour towards the mean of its four neighbours.
extern "C" __global__ void relax(float* grid, const float* source, int ny, int nx, float w) {
  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inner = ix > 0 && iy > 0 && ix < nx - 1 && iy < ny - 1;
  if (!inner) return;

  const long at = (long)iy * nx + ix;
  const float north = grid[at - nx], south = grid[at + nx];
  const float west = grid[at - 1], east = grid[at + 1];
  const float old = grid[at];
  const float target = 0.25f * (north + south + west + east + source[at]);
  grid[at] = old + w * (target - old);
}
