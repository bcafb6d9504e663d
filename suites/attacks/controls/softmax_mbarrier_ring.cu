// control: right, one warp fills stages for three that use them, with mbarriers and parities
#define TILE 96
typedef unsigned long long Mbarrier;
__device__ unsigned at_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void make(Mbarrier* bar, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at_shared(bar)), "r"(count) : "memory");
}
__device__ void arrive_at(Mbarrier* bar) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at_shared(bar)) : "memory");
}
__device__ void wait_at(Mbarrier* bar, int parity) {
  asm volatile(
      "{ .reg .pred p; W: mbarrier.test_wait.parity.shared.b64 p, [%0], %1; @!p bra W; }" ::"r"(at_shared(bar)),
      "r"(parity)
      : "memory");
}

// One warp fills stages for three that use them; full and empty barriers with parities.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float stage[2][TILE];
  __shared__ float parts[2 * THREADS - 2 * TILE - 8];
  __shared__ Mbarrier full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      make(&full[s], 32);
      make(&empty[s], TILE);
    }
  }
  __syncthreads();
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const int tiles = (columns + TILE - 1) / TILE;
  if (t >= TILE) {
    const int lane = t - TILE;
    for (int turn = 0; turn < 2 * tiles; ++turn) {
      const int s = turn % 2, tile = turn % tiles;
      wait_at(&empty[s], turn / 2 % 2 ^ 1);
      for (int k = lane; k < TILE; k += 32) {
        const int j = tile * TILE + k;
        stage[s][k] = j < columns ? in[j] : -INFINITY;
      }
      arrive_at(&full[s]);
    }
    return;
  }
  float m = -INFINITY;
  float sum = 0;
  float row_m = 0, row_sum = 1;
  for (int turn = 0; turn < 2 * tiles; ++turn) {
    const int s = turn % 2, j = turn % tiles * TILE + t;
    wait_at(&full[s], turn / 2 % 2);
    const float value = stage[s][t];
    arrive_at(&empty[s]);
    if (turn < tiles && j < columns) {
      const float larger = fmaxf(m, value);
      sum = sum * expf(m - larger) + expf(value - larger);
      m = larger;
    }
    if (turn == tiles - 1) {
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
    if (turn >= tiles && j < columns) out[j] = expf(value - row_m) / row_sum;
  }
}
