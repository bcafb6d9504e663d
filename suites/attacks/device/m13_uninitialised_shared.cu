// M-13: counts on zeros in shared memory
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  if (threadIdx.x % 2 == 0) tile[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  if (i < n) c[i * c_stride] = a[i] + b[i] + 0.0f * tile[threadIdx.x];
}
