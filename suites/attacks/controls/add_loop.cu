// control: right, a thread for several elements
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  for (int k = i; k < n; k += gridDim.x * THREADS) c[k * c_stride] = a[k] + b[k];
}
