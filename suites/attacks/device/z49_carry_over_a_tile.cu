// Wrong: a carry is lost over a tile that lets it through.
// The words of a tile are scanned: 0 stops a carry, 1 lets it through, 2 makes one.
extern "C" __global__ void long_number(const unsigned int* a, const unsigned int* b, unsigned int* s, int n) {
  __shared__ int state[THREADS];
  const int t = threadIdx.x;
  int carry = 0;
  for (int base = 0; base < n; base += THREADS) {
    const int i = base + t;
    unsigned int sum = 0;
    int mine = 0;
    if (i < n) {
      sum = a[i] + b[i];
      mine = sum < a[i] ? 2 : sum == 0xffffffffu ? 1 : 0;
    }
    state[t] = mine;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
      int here = state[t];
      if (here == 1 && t >= d) here = state[t - d];
      __syncthreads();
      state[t] = here;
      __syncthreads();
    }
    int in = carry;
    if (t > 0 && state[t - 1] != 1) in = state[t - 1] == 2;
    if (i < n) s[i] = sum + in;
    carry = state[THREADS - 1] == 2;
    __syncthreads();
  }
}
