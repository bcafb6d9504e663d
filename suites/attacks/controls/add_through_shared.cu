// control: right, through shared memory
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[threadIdx.x ^ 7] = i < n ? a[i] : 0.0f;
  __syncthreads();
  const int other = blockIdx.x * THREADS + (threadIdx.x ^ 7);
  if (other < n) c[other * c_stride] = tile[threadIdx.x] + b[other];
}
