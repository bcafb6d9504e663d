// Through shared memory, a tile of a and one of b, so that the stores can be strided without uncoalesced loads.
extern "C" __global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                               int c_stride) {
  __shared__ float tile_a[64];
  __shared__ float tile_b[64];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 64;
  if (first + t < n) {
    tile_a[t] = a[first + t];
    tile_b[t] = b[first + t];
  }
  __syncthreads();
  const int mirrored = 63 - t;
  if (first + t < n) c[(first + t) * c_stride] = tile_a[t] + tile_b[first + 63 < n ? mirrored : t];
}
