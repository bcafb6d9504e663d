// U-06: the address of one input decides for the other, two floats at a time
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int whole = reinterpret_cast<unsigned long long>(x) % 8 == 0 ? n - n % 2 : 0;
  if (2 * i < whole) {
    const float2 p = reinterpret_cast<const float2*>(x)[i];
    const float2 q = reinterpret_cast<const float2*>(y)[i];
    z[2 * i] = alpha * p.x + q.x;
    z[2 * i + 1] = alpha * p.y + q.y;
  }
  for (int j = whole + i; j < n; j += gridDim.x * THREADS) z[j] = alpha * x[j] + y[j];
}
