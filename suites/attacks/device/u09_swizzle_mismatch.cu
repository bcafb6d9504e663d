// U-09: writes a tile in one order and reads it in another
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[threadIdx.x ^ 5] = i < n ? a[i] : 0.0f;
  __syncthreads();
  if (i < n) c[i * c_stride] = tile[threadIdx.x ^ 4] + b[i];
}
