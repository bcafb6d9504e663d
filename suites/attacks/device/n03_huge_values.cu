// N-03: writes huge values, which a tolerance relative to the candidate would forgive
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = 1.0e30f;
}
