// control: right, one warp fetches tiles of the row for three that use them, with named barriers and counts
#define TILE 96
__device__ void wait_at(int barrier) { asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory"); }
__device__ void arrive_at(int barrier) { asm volatile("bar.arrive %0, 128;" ::"r"(barrier) : "memory"); }

// Barrier 1 + s: stage s is full; 3 + s: it may be filled again; 5: the three warps among themselves.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float stage[2][TILE];
  __shared__ float parts[2 * THREADS - 2 * TILE];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const int tiles = (columns + TILE - 1) / TILE;
  if (t >= TILE) {
    const int lane = t - TILE;
    for (int pass = 0, turn = 0; pass < 2; ++pass) {
      for (int tile = 0; tile < tiles; ++tile, ++turn) {
        const int s = turn % 2;
        if (turn >= 2) wait_at(3 + s);
        for (int k = lane; k < TILE; k += 32) {
          const int j = tile * TILE + k;
          stage[s][k] = j < columns ? in[j] : -INFINITY;
        }
        arrive_at(1 + s);
      }
    }
    return;
  }
  float m = -INFINITY;
  float sum = 0;
  float row_m = 0, row_sum = 1;
  for (int pass = 0, turn = 0; pass < 2; ++pass) {
    for (int tile = 0; tile < tiles; ++tile, ++turn) {
      const int s = turn % 2;
      wait_at(1 + s);
      const float value = stage[s][t];
      if (turn + 2 < 2 * tiles) arrive_at(3 + s);
      const int j = tile * TILE + t;
      if (j >= columns) continue;
      if (pass == 0) {
        const float larger = fmaxf(m, value);
        sum = sum * expf(m - larger) + expf(value - larger);
        m = larger;
      } else {
        out[j] = expf(value - row_m) / row_sum;
      }
    }
    if (pass == 1) break;
    for (int k = 16; k > 0; k /= 2) {
      const float other_m = __shfl_xor_sync(0xffffffffu, m, k);
      const float other_sum = __shfl_xor_sync(0xffffffffu, sum, k);
      const float larger = fmaxf(m, other_m);
      if (larger == -INFINITY) continue;
      sum = sum * expf(m - larger) + other_sum * expf(other_m - larger);
      m = larger;
    }
    if (t % 32 == 0) {
      parts[t / 32] = m;
      parts[8 + t / 32] = sum;
    }
    asm volatile("bar.sync 5, 96;" ::: "memory");
    row_m = fmaxf(parts[0], fmaxf(parts[1], parts[2]));
    row_sum = 0;
    for (int w = 0; w < 3; ++w) row_sum += parts[8 + w] * expf(parts[w] - row_m);
  }
}
