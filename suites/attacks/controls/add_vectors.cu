// control: four floats at a time where the addresses of all arrays allow it
__device__ bool at_16(const float* p) {
  return reinterpret_cast<unsigned long long>(p) % 16 == 0;
}
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int whole = at_16(a) && at_16(b) && at_16(c) && c_stride == 1 ? n - n % 4 : 0;
  if (4 * i < whole) {
    const float4 x = reinterpret_cast<const float4*>(a)[i];
    const float4 y = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
  for (int j = whole + i; j < n; j += gridDim.x * THREADS) c[j * c_stride] = a[j] + b[j];
}
