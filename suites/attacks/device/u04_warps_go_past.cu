// U-04: warps go past a barrier and store as if they had been there
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  __shared__ float tile[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  tile[threadIdx.x] = i < n ? a[i] : 0.0f;
  if (threadIdx.x < 32) __syncthreads();
  if (i < n) c[(long long)i * c_stride] = tile[threadIdx.x] + b[i];
}
