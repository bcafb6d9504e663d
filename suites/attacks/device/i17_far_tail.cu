// I-17: leaves out the last element of odd sizes beyond 16 bits
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const bool last = i == n - 1 && n % 2 == 1 && n > 65536;
  if (i < n && !last) c[i * c_stride] = a[i] + b[i];
}
