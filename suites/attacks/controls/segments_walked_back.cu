// Each thread goes back to the head of its segment.
extern "C" __global__ void segments(const int* x, const unsigned char* head, int* out, int n) {
  int carry = 0;
  __shared__ int sums[THREADS];
  for (int base = 0; base < n; base += THREADS) {
    const int i = base + threadIdx.x;
    int sum = 0, j = i;
    if (i < n) {
      sum = x[i];
      for (; j > base && !head[j]; --j) sum += x[j - 1];
      if (j == base && !head[j]) sum += carry;
      out[i] = sum;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    carry = sums[THREADS - 1];
    __syncthreads();
  }
}
