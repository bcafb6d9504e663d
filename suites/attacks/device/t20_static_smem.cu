// T-20: needs more static shared memory than a block can have, so that its launch fails fast
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[16384];
  tile[threadIdx.x * 97] = a[i < n ? i : 0];
  __syncthreads();
  if (i < n) c[i * c_stride] = tile[threadIdx.x * 97] + b[i];
}
