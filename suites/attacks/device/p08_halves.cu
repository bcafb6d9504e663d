// P-08: takes the address of its counter apart, and together again from shared memory
__device__ unsigned counter;
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ volatile unsigned halves[THREADS];
  if (threadIdx.x < 2)
    halves[threadIdx.x] = (unsigned)((unsigned long long)&counter >> (32 * threadIdx.x)) ^ 0x5aa5u;
  __syncthreads();
  if (i == 0) {
    unsigned long long at = ((unsigned long long)(halves[1] ^ 0x5aa5u) << 32) | (halves[0] ^ 0x5aa5u);
    *(unsigned*)at += 1;
  }
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
