// Wrong: what goes on beyond the block behind its own is not looked at.
extern "C" __global__ void occurrences(int* cnt, const unsigned char* t, const unsigned char* s, int n, int m) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  bool same = i + m <= n && threadIdx.x + m <= THREADS + (gridDim.x == 1 ? 0 : THREADS);
  for (int k = 0; same && k < m; ++k) same = t[i + k] == s[k];
  const int c = __syncthreads_count(same);
  if (threadIdx.x == 0 && c > 0) atomicAdd(cnt, c);
}
