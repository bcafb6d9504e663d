__global__ void reference(EVO_REAL* u, const EVO_REAL* heat, int height, int width, EVO_REAL omega) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1 || (x + y) % 2 == 1) return;
  u[i] += omega * (0.25 * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + heat[i]) - u[i]);
}
