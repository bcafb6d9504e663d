// Wrong: a carry from the word before alone, and none that comes through it.
extern "C" __global__ void long_number(const unsigned int* a, const unsigned int* b, unsigned int* s, int n) {
  for (int i = threadIdx.x; i < n; i += THREADS) {
    unsigned int carry = 0;
    for (int k = i - 1; k >= 0; --k) {
      const unsigned int sum = a[k] + b[k];
      carry = sum < a[k];
      break;
    }
    s[i] = a[i] + b[i] + carry;
  }
}
