__global__ void reference(const unsigned* x, unsigned* y, int n, int pos, int bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = pos < 32 ? x[i] >> pos : 0;
  y[i] = bits >= 32 ? v : v & ((1u << bits) - 1u);
}
