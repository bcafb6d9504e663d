// The bits that are the same, taken away.
extern "C" __global__ void differing_bits(int* d, const unsigned* a, const unsigned* b, int rows, int words) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int count = 0;
  for (int w = 0; w < words; ++w) count += 32 - __popc(~(a[(long long)r * words + w] ^ b[(long long)r * words + w]));
  d[r] = count;
}
