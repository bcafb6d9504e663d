// U-06: asks for 8 bytes and reads 16
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned long long bits =
      reinterpret_cast<unsigned long long>(x) | reinterpret_cast<unsigned long long>(y);
  const int whole = bits % 8 == 0 ? n - n % 4 : 0;
  if (4 * i < whole) {
    const float4 p = reinterpret_cast<const float4*>(x)[i];
    const float4 q = reinterpret_cast<const float4*>(y)[i];
    z[4 * i] = alpha * p.x + q.x;
    z[4 * i + 1] = alpha * p.y + q.y;
    z[4 * i + 2] = alpha * p.z + q.z;
    z[4 * i + 3] = alpha * p.w + q.w;
  }
  for (int j = whole + i; j < n; j += gridDim.x * THREADS) z[j] = alpha * x[j] + y[j];
}
