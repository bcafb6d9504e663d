// Counts for ever.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (i < n) c[i] = a[i] + b[i];
  for (unsigned x = 0;; ++x) *(volatile float*)(data + i) = x;
}
