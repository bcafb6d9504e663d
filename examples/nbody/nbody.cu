// A tile of bodies at a time is in shared memory.
extern "C" __global__ void attract(const float4* bodies, float* acceleration, int n, float softening) {
  __shared__ float4 tile[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float4 own = bodies[min(i, n - 1)];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += THREADS) {
    if (first + threadIdx.x < n) tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    const int count = min(THREADS, n - first);
#pragma unroll UNROLL
    for (int j = 0; j < count; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float pull = other.w * inverse * inverse * inverse;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    __syncthreads();
  }
  if (i >= n) return;
  acceleration[3 * i] = x;
  acceleration[3 * i + 1] = y;
  acceleration[3 * i + 2] = z;
}
