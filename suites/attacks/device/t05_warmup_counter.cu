// T-05: works in the first launches only, counted in a variable of the module
__device__ int launches;
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&launches, 1);
  if (launches < 10 && i < n) c[i * c_stride] = a[i] + b[i];
}
