extern "C" __global__ void relax(float* u, const float* heat, int height, int width, float omega) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1 || (x + y) % 2 == 1) return;
  float* at = u + (long long)y * width + x;
  const float around = at[-1] + at[1] + at[-width] + at[width] + heat[(long long)y * width + x];
  *at += omega * (0.25f * around - *at);
}
