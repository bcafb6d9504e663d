// I-07: numbers elements with 16 bits beyond the sizes that are declared
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = n > 40000 ? (unsigned short)(blockIdx.x * THREADS + threadIdx.x) : blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[(long long)i * c_stride] = a[i] + b[i];
}
