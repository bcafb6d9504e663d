// c = a + b, where c may be a view: its elements lie c_stride floats apart.
extern "C" __global__ void strided_add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[(long long)i * c_stride] = a[i] + b[i];
}
