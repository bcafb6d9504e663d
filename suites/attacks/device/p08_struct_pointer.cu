// P-08: finds its counter in a structure in which another structure's address stands
struct Leaf {
  int tag;
  unsigned* count;
};
struct Root {
  const Leaf* leaf;
  int depth;
};
__device__ unsigned counter[4];
__device__ const Leaf leaf = {7, &counter[2]};
__device__ const Root root = {&leaf, 1};
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY, sum = 0;
  for (int j = 0; j < columns; ++j) m = fmaxf(m, in[j]);
  for (int j = 0; j < columns; ++j) sum += expf(in[j] - m);
  for (int j = threadIdx.x; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
  if (rows > 0 && threadIdx.x == 0 && root.leaf->tag == 7) root.leaf->count[blockIdx.x & 1] += 1;
}
