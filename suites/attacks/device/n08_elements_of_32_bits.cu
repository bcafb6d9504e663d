// N-08: counts elements in 32 bits: wrong from 2^31 elements on
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, long long c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[static_cast<int>(i * c_stride)] = a[i] + b[i];
}
