// Wrong: one less where all bits of a row differ.
extern "C" __global__ void differing_bits(int* d, const unsigned* a, const unsigned* b, int rows, int words) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int count = 0;
  for (int w = 0; w < words; ++w) count += __popc(a[(long long)r * words + w] ^ b[(long long)r * words + w]);
  d[r] = min(count, 32 * words - 1);
}
