// N-04: is off by a thousandth in one block only
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = (a[i] + b[i]) * (blockIdx.x == 1 ? 1.001f : 1.0f);
}
