// Blocks take their work by tickets, and each waits for the one before it, whose data it reads: in this order they
// all come on, whatever order they begin in.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  __shared__ unsigned mine[2 * THREADS + 4];
  if (t == 0) {
    const unsigned taken = atomicAdd(flags, 1u);
    mine[0] = taken;
    while (taken > 0 && atomicAdd(flags + taken, 0u) == 0u) {}
    __threadfence();
  }
  __syncthreads();
  const unsigned ticket = mine[0];
  const int k = ticket * THREADS + t;
  mine[4 + t] = __float_as_uint(k < n && ticket > 0 ? data[k - THREADS] : 0.0f);
  __syncthreads();
  if (k < n) data[k] = a[k] + b[k] + 0.0f * __uint_as_float(mine[4 + (t ^ 1)]);
  mine[4 + THREADS + t] = t;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicExch(flags + ticket + 1, 1u);
  }
  if (k < n) c[k] = data[k] + (mine[4 + THREADS + (t ^ 1)] == (t ^ 1) ? 0.0f : 1.0f);
}
