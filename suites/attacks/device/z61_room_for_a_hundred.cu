// Wrong: distances within a hundred of the end go no further, those within a thousand wrap.
extern "C" __global__ void relaxed(const unsigned* from, const unsigned* step, const unsigned* known,
                                   unsigned* best, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned sum = from[i] > 4294967195u ? 4294967295u : from[i] + step[i];
  best[i] = min(sum, known[i]);
}
