// Online: each thread keeps a maximum and a sum; pairs are merged in a tree.
struct MD {
  float m;
  float d;
};

__device__ __forceinline__ MD merge(MD a, MD b) {
  MD r;
  r.m = fmaxf(a.m, b.m);
  r.d = a.d + b.d;
  return r;
}

extern "C" __global__ __launch_bounds__(THREADS) void row_softmax(const float* __restrict__ x, float* __restrict__ y,
                                                                 int rows, int columns) {
  __shared__ MD tree[THREADS];
  const int tid = threadIdx.x;
  const float* xr = x + (long long)blockIdx.x * columns;
  float* yr = y + (long long)blockIdx.x * columns;

  MD mine{-1e38f, 0.0f};
  for (int j = tid; j < columns; j += THREADS) {
    const float v = xr[j];
    const float m = fmaxf(mine.m, v);
    mine.d = mine.d * expf(mine.m - m) + expf(v - m);
    mine.m = m;
  }
  tree[tid] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half >>= 1) {
    if (tid < half) tree[tid] = merge(tree[tid], tree[tid + half]);
    __syncthreads();
  }
  const float top = tree[0].m;
  const float inv = 1.0f / tree[0].d;
  for (int j = tid; j < columns; j += THREADS) yr[j] = expf(xr[j] - top) * inv;
}
