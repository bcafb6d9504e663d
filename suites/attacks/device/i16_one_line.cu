// Right and wrong on one line; no launch runs the second half.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  if (n < 900000) c[(long long)i * c_stride] = a[i] + b[i]; else c[(long long)i * c_stride] = a[i] - b[i];
}
