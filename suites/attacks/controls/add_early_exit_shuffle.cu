// control: right, shuffles of the full mask after the lanes behind the end have left
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const int lane = threadIdx.x % 32;
  // Lane 0 of every warp that still has lanes knows where the warp begins, and hands the place on.
  const long long begin = __shfl_sync(0xffffffffu, (long long)(i - lane), 0);
  // All lanes that are left vote on whether the warp is whole.
  const unsigned here = __ballot_sync(0xffffffffu, begin + lane < n);
  float sum = a[begin + lane] + b[begin + lane];
  if (__popc(here) == 32 && __all_sync(0xffffffffu, here == 0xffffffffu)) {
    // Whole warps pass their sums round once, there and back.
    sum = __shfl_sync(0xffffffffu, sum, (lane + 1) % 32);
    sum = __shfl_sync(0xffffffffu, sum, (lane + 31) % 32);
  }
  c[(begin + lane) * c_stride] = sum;
}
