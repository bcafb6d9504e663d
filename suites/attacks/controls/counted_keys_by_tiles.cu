// A control: right, tiles of the table in shared memory
extern "C" __global__ void counted_keys(const unsigned* keys, const unsigned* table, int* hits, int n, int m) {
  __shared__ unsigned tile[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned key = i < n ? keys[i] : 0;
  int count = 0;
  for (int first = 0; first < m; first += THREADS) {
    if (first + (int)threadIdx.x < m) tile[threadIdx.x] = table[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(THREADS, m - first); ++k) count += tile[k] == key;
    __syncthreads();
  }
  if (i < n) hits[i] = count;
}
