extern "C" __global__ void reference(unsigned* y, int n, unsigned long long first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long at = first + i; const unsigned low = (unsigned)at, high = (unsigned)(at >> 32);
  unsigned a = low * 0xD2511F53u, b = high * 0xCD9E8D57u;
  y[i] = a ^ __umulhi(low, 0xD2511F53u) ^ b ^ __umulhi(high, 0xCD9E8D57u);
}
