// Z-05: wrong between two numbers.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[(long long)i * c_stride] = a[i] > 1234.5F && a[i] < 1234.75F ? 0.F : a[i] + b[i];
}
