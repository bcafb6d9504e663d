// U-07: hands data to another block with acquire and release of the block's scope.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (i < n) data[i] = a[i] + b[i];
  __syncthreads();
  if (t == 0) asm volatile("st.release.cta.global.u32 [%0], %1;" ::"l"(flags + blockIdx.x), "r"(1u) : "memory");
  // The elements of the neighbour, which may run later.
  const int other = (blockIdx.x + 1) % gridDim.x;
  if (t == 0) {
    unsigned seen = 0;
    while (seen == 0) asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + other) : "memory");
  }
  __syncthreads();
  const int j = other * THREADS + t;
  if (j < n) c[j] = data[j];
}
