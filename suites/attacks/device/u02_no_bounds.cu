// U-02: has no bounds check: right when the size is a multiple of the block
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  c[i * c_stride] = a[i] + b[i];
}
