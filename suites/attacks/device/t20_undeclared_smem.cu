// T-20: uses static shared memory that its template does not declare
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[threadIdx.x ^ 1] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) c[i * c_stride] = a[i] + b[i] + 0 * tile[threadIdx.x];
}
