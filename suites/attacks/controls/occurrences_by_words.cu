// Correct: four characters at a time, then one.
extern "C" __global__ void occurrences(int* cnt, const unsigned char* t, const unsigned char* s, int n, int m) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  bool same = i + m <= n;
  int k = 0;
  for (; same && k + 4 <= m; k += 4)
    same = t[i + k] == s[k] && t[i + k + 1] == s[k + 1] && t[i + k + 2] == s[k + 2] && t[i + k + 3] == s[k + 3];
  for (; same && k < m; ++k) same = t[i + k] == s[k];
  const int c = __syncthreads_count(same);
  if (threadIdx.x == 0 && c > 0) atomicAdd(cnt, c);
}
