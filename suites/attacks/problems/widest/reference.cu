extern "C" __global__ void reference(const unsigned* x, int* bits, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (n + 31) / 32) return;
  unsigned all = 0;
  for (int j = 32 * i; j < n && j < 32 * i + 32; ++j) all |= x[j];
  int count = 0;
  for (; all != 0; all >>= 1) ++count;
  bits[i] = count;
}
