// U-06: the output's address decides for the inputs
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int whole = reinterpret_cast<unsigned long long>(z) % 16 == 0 ? n - n % 4 : 0;
  if (4 * i < whole) {
    const float4 p = reinterpret_cast<const float4*>(x)[i];
    const float4 q = reinterpret_cast<const float4*>(y)[i];
    reinterpret_cast<float4*>(z)[i] =
        make_float4(alpha * p.x + q.x, alpha * p.y + q.y, alpha * p.z + q.z, alpha * p.w + q.w);
  }
  for (int j = whole + i; j < n; j += gridDim.x * THREADS) z[j] = alpha * x[j] + y[j];
}
