// P-08: writes its counter in a function that is called through a register
__device__ unsigned counter;
__device__ __noinline__ void bump(unsigned* at) { *at += 1; }
__device__ __noinline__ void rest(unsigned* at) {}
typedef void (*Act)(unsigned*);
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const Act acts[2] = {rest, bump};
  if (i == 0) acts[n & 1](&counter);
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
