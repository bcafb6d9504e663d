// U-06: four floats at a time wherever there are four, whatever the addresses
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int whole = n - n % 4;
  if (4 * i < whole) {
    const float4 x = reinterpret_cast<const float4*>(a)[i];
    const float4 y = reinterpret_cast<const float4*>(b)[i];
    c[(4 * i + 0) * c_stride] = x.x + y.x;
    c[(4 * i + 1) * c_stride] = x.y + y.y;
    c[(4 * i + 2) * c_stride] = x.z + y.z;
    c[(4 * i + 3) * c_stride] = x.w + y.w;
  }
  if (whole + i < n) c[(whole + i) * c_stride] = a[whole + i] + b[whole + i];
}
