// control: right, tiles of 16 threads of cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// A tile of 16 threads adds 16 elements: its first thread loads the place, all get it by shuffle, and the tile turns its
// elements round in pairs and back.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int begin = 0;
  if (tile.thread_rank() == 0) begin = blockIdx.x * THREADS + tile.meta_group_rank() * 16;
  begin = tile.shfl(begin, 0);
  if (begin >= n) return;  // whole tiles leave, in a warp that goes on
  const int i = begin + tile.thread_rank();
  float sum = 0;
  if (i < n) sum = a[i] + b[i];
  sum = tile.shfl_xor(sum, 1);
  tile.sync();
  sum = tile.shfl_xor(sum, 1);
  if (tile.any(i < n) && i < n) c[(long long)i * c_stride] = sum;
}
