__global__ void reference(const unsigned int* a, const unsigned int* b, unsigned int* s, int n) {
  unsigned long long carry = 0;
  for (int i = 0; i < n; ++i) {
    carry += (unsigned long long)a[i] + b[i];
    s[i] = (unsigned int)carry;
    carry >>= 32;
  }
}
