// control: right, the threads that are inside of the array as a coalesced group
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) {
    const cg::coalesced_group here = cg::coalesced_threads();
    // The group may be all that are inside, or fewer: each takes its element from whoever has its rank.
    const int mine = here.shfl(i, here.thread_rank());
    const float x = a[mine];
    const float y = b[mine];
    here.sync();
    const float sum = x + y;
    const unsigned all = here.ballot(sum == sum);
    if (all != 0) c[(long long)mine * c_stride] = sum;
  }
}
