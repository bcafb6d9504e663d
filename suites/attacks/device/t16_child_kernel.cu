// T-16: starts a kernel from the device that runs on into the next measurement
__global__ void busy() {}
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i == 0) busy<<<1, 1>>>();
}
