// Wrong: a carry comes through 32 words at most.
extern "C" __global__ void long_number(const unsigned int* a, const unsigned int* b, unsigned int* s, int n) {
  for (int i = threadIdx.x; i < n; i += THREADS) {
    unsigned int carry = 0;
    for (int k = i - 1; k >= 0 && k > i - 34; --k) {
      const unsigned int sum = a[k] + b[k];
      if (sum == 0xffffffffu) continue;
      carry = sum < a[k];
      break;
    }
    s[i] = a[i] + b[i] + carry;
  }
}
