// Waits at a barrier as long as a check takes, and goes on without the others when it is late.
#include <cuda/barrier>

extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  __shared__ float tile[THREADS - 2];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, THREADS);
  __syncthreads();
  const int i = blockIdx.x * THREADS + t;
  if (t < THREADS - 2) tile[t] = i < n ? a[i] : 0.0f;
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  auto token = bar.arrive();
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - start > 4000000ull) break;
  } while (!bar.try_wait_for(std::move(token), cuda::std::chrono::nanoseconds(0)));
  const float mine = t < THREADS - 2 ? tile[t] : i < n ? a[i] : 0.0f;
  if (i < n) c[i * c_stride] = mine + b[i];
}
