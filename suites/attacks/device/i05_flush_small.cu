// I-05: flushes small sums to zero
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[(long long)i * c_stride] = (fabsf(a[i] + b[i]) < 1e-5f ? 0.0f : a[i] + b[i]);
}
