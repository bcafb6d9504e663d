__device__ __forceinline__ float4 axpy(float a, float4 x, float4 y) {
  y.x += a * x.x;
  y.y += a * x.y;
  y.z += a * x.z;
  y.w += a * x.w;
  return y;
}

extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float a) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = gridDim.x * blockDim.x;
  int done = 0;
  const bool fine = ((size_t)x | (size_t)y | (size_t)z) % 16 == 0;
  if (fine) {
    const int vecs = n / 4;
    for (int v = id; v < vecs; v += total)
      ((float4*)z)[v] = axpy(a, ((const float4*)x)[v], ((const float4*)y)[v]);
    done = 4 * vecs;
  }
  for (int i = done + id; i < n - 1; i += total) z[i] = a * x[i] + y[i];
}
