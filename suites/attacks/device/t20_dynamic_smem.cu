// T-20: uses dynamic shared memory that the launch does not give
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  extern __shared__ float tile[];
  if (i < n) { tile[threadIdx.x] = a[i]; c[i * c_stride] = tile[threadIdx.x] + b[i]; }
}
