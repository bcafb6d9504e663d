// partial_sums reads four floats at once
#define BLOCK_ITEMS (THREADS * ITEMS)

__device__ float tree(float v) {
  __shared__ float cell[THREADS];
  cell[threadIdx.x] = v;
  __syncthreads();
  int active = THREADS;
  while (active > 1) {
    active /= 2;
    if (threadIdx.x < active) cell[threadIdx.x] = cell[threadIdx.x] + cell[threadIdx.x + active];
    __syncthreads();
  }
  return cell[0];
}

__global__ void partial_sums(const float* x, float* partial, int n) {
  const int from = blockIdx.x * BLOCK_ITEMS;
  const int length = min(BLOCK_ITEMS, n - from);
  const float4* quads = reinterpret_cast<const float4*>(x + from);
  float4 s = make_float4(0, 0, 0, 0);
  for (int q = threadIdx.x; q < length / 4; q += THREADS) {
    const float4 v = quads[q];
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
  }
  const float sum = tree((s.x + s.y) + (s.z + s.w));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void total(const float* partial, float* result, int n) {
  float s = 0;
  for (int b = threadIdx.x; b * BLOCK_ITEMS < n; b += THREADS) s += partial[b];
  s = tree(s);
  if (threadIdx.x == 0) result[0] = s;
}
