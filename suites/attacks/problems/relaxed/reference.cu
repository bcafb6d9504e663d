extern "C" __global__ void reference(const unsigned* from, const unsigned* step, const unsigned* known,
                                     unsigned* best, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = from[i] + step[i];
  if (sum < from[i]) sum = 4294967295u;
  best[i] = sum < known[i] ? sum : known[i];
}
