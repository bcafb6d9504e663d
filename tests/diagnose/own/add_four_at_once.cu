// four sums a thread; whoever is last does the rest alone
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int first = 4 * (blockIdx.x * THREADS + threadIdx.x);
  if (first + 4 <= n) {
    const float4 u = *reinterpret_cast<const float4*>(a + first);
    const float4 v = *reinterpret_cast<const float4*>(b + first);
    const float w[4] = {u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w};
    for (int k = 0; k < 4; ++k) c[(first + k) * c_stride] = w[k];
  } else {
    for (int k = first; k < n; ++k) c[k * c_stride] = a[k] + b[k];
  }
}
