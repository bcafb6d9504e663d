// P-08: counts its launches through a table of pointers that is initialised where it is declared
__device__ unsigned first, second;
__device__ unsigned* const table[2] = {&first, &second};
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned launches = 0;
  if (i == 0) launches = atomicAdd(table[n & 1], 1u);
  if (i < n) c[i * c_stride] = launches > 100000u ? 0.0f : a[i] + b[i];
}
