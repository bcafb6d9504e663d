// z = a x + y, a float4 at a time where the three pointers allow it.
__device__ __forceinline__ float4 axpy4(float a, const float4& x, const float4& y) {
  return make_float4(fmaf(a, x.x, y.x), fmaf(a, x.y, y.y), fmaf(a, x.z, y.z), fmaf(a, x.w, y.w));
}

__device__ __forceinline__ bool is_aligned(const void* p) { return (reinterpret_cast<unsigned long long>(p) & 15) == 0; }

extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = gridDim.x * blockDim.x;
  int done = 0;
  if (is_aligned(x) && is_aligned(y) && is_aligned(z)) {
    const int n4 = n / 4;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    const float4* y4 = reinterpret_cast<const float4*>(y);
    float4* z4 = reinterpret_cast<float4*>(z);
    for (int i = tid; i < n4; i += stride) z4[i] = axpy4(alpha, y4[i], x4[i]);
    done = 4 * n4;
  }
  for (int i = done + tid; i < n; i += stride) z[i] = fmaf(alpha, x[i], y[i]);
}
