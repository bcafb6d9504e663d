// control: right, with the reductions of cooperative groups
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const int warps = block.size() / 32;

  float m = -INFINITY;
  for (int j = block.thread_rank(); j < columns; j += block.size()) m = fmaxf(m, in[j]);
  m = cg::reduce(warp, m, cg::greater<float>());
  if (warp.thread_rank() == 0) largest[warp.meta_group_rank()] = m;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    // The first warp joins what the warps have, in tiles of eight threads.
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    float part = tile.thread_rank() < warps ? largest[tile.thread_rank()] : -INFINITY;
    part = cg::reduce(tile, part, cg::greater<float>());
    warp.sync();
    if (warp.thread_rank() == 0) largest[0] = part;
  }
  block.sync();
  m = largest[0];

  float sum = 0;
  for (int j = block.thread_rank(); j < columns; j += block.size()) {
    const float e = expf(in[j] - m);
    out[j] = e;
    sum += e;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  sum = 0;
  for (int w = 0; w < warps; ++w) sum += sums[w];
  for (int j = block.thread_rank(); j < columns; j += block.size()) out[j] = out[j] / sum;
}
