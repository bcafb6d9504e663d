// GPU Gems 3 style: p tiles of p bodies
__device__ float3 interact(float3 acc, float4 bi, float4 bj, float eps2) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  const float d2 = r.x * r.x + r.y * r.y + r.z * r.z + eps2;
  const float inv = 1.0f / sqrtf(d2 * d2 * d2);
  const float s = bj.w * inv;
  acc.x += r.x * s;
  acc.y += r.y * s;
  acc.z += r.z * s;
  return acc;
}

extern "C" __global__ void attract(const float4* bodies, float* acceleration, int n, float softening) {
  __shared__ float4 sh[THREADS];
  const int gtid = blockIdx.x * THREADS + threadIdx.x;
  const float4 me = gtid < n ? bodies[gtid] : make_float4(0.f, 0.f, 0.f, 0.f);
  float3 acc = {0.f, 0.f, 0.f};
  for (int base = 0; base < n; base += THREADS) {
    const int j = base + threadIdx.x;
    if (j < n) sh[threadIdx.x] = bodies[j];
    __syncthreads();
#pragma unroll UNROLL
    for (int k = 0; k < THREADS; ++k) acc = interact(acc, me, sh[k], softening);
    __syncthreads();
  }
  if (gtid < n) {
    acceleration[3 * gtid + 0] = acc.x;
    acceleration[3 * gtid + 1] = acc.y;
    acceleration[3 * gtid + 2] = acc.z;
  }
}
