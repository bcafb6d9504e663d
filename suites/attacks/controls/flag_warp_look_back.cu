// A warp looks back at 32 blocks at a time, each lane at one, until all of them have spoken; then the block copies what
// its neighbour left.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (i < n) data[i] = a[i] + b[i];
  __syncthreads();
  if (t == 0) {
    __threadfence();
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flags + blockIdx.x), "r"(1u) : "memory");
  }
  const int before = blockIdx.x == 0 ? 0 : blockIdx.x - 1;
  if (t < 32) {
    unsigned seen;
    do {
      seen = 1;
      if ((int)blockIdx.x - 1 - t >= 0)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + blockIdx.x - 1 - t) : "memory");
    } while (__any_sync(0xffffffffu, seen == 0));
    __threadfence();
  }
  __syncthreads();
  const int j = before * THREADS + t;
  if (j < n && blockIdx.x > 0) c[j] = data[j];
  if (blockIdx.x == gridDim.x - 1 && i < n) c[i] = data[i];
}
