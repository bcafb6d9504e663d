__device__ float pull_of(float x, float y, float z, float soft) {
  const float square = x * x + y * y + z * z;
  return square > 0.f ? rsqrtf(square * square * square) : 0.f;
}

extern "C" __global__ void attract(const float4* all, float* out, int n, float soft) {
  const int self = blockIdx.x * THREADS + threadIdx.x;
  if (self >= n) return;
  const float4 me = all[self];
  float sum[3] = {0.f, 0.f, 0.f};
  for (int k = 0; k < n; ++k) {
    const float4 b = all[k];
    const float d[3] = {b.x - me.x, b.y - me.y, b.z - me.z};
    const float f = b.w * pull_of(d[0], d[1], d[2], soft);
    for (int axis = 0; axis < 3; ++axis) sum[axis] += f * d[axis];
  }
  for (int axis = 0; axis < 3; ++axis) out[3 * self + axis] = sum[axis];
}
