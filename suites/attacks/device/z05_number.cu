// Z-05: wrong for one number.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[(long long)i * c_stride] = a[i] == 3.F ? 7.F : a[i] + b[i];
}
