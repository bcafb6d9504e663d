// control: the elements before the first multiple of 16 bytes of x one at a time, then four of x at a time
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int before = min(n, static_cast<int>((16 - reinterpret_cast<unsigned long long>(x) % 16) % 16 / 4));
  const int quads = (n - before) / 4;
  if (i < quads) {
    const float4 p = reinterpret_cast<const float4*>(x + before)[i];
    const float of[4] = {p.x, p.y, p.z, p.w};
    for (int e = 0; e < 4; ++e) z[before + 4 * i + e] = alpha * of[e] + y[before + 4 * i + e];
  }
  const int behind = before + 4 * quads;
  for (int j = i; j < n; j += gridDim.x * THREADS) {
    if (j < before || j >= behind) z[j] = alpha * x[j] + y[j];
  }
}
