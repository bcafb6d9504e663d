// U-03: has lost the guard of a read that is not used
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float x = static_cast<volatile const float*>(a)[i];
  if (i < n) c[i * c_stride] = x + b[i];
}
