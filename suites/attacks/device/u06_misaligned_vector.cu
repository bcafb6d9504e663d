// U-06: reads four floats at an address for one
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i == 0 && n > 8) {
    const float4 x = *reinterpret_cast<const float4*>(a + 1);
    c[0] = a[0] + b[0] + 0.0f * (x.x + x.w);
  }
}
