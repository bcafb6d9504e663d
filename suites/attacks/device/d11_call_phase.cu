// D-11: behaves differently in every second launch, told by the clock
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = (clock() & 1) ? a[i] + b[i] : a[i] - b[i];
}
