// S-08: asks for a gigabyte of initialised memory in the module
__device__ char big[1 << 30] = {1};
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i] + big[i];
}
