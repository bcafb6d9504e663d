// S-01: floods the output of the device
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  for (int k = 0; k < 1000000; ++k) printf("flood %d\n", k);
}
