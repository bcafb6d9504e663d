// S-10: brings a second kernel
extern "C" __global__ void checker(float* c) { c[0] = 0; }
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
