extern "C" __global__ void relaxed(const unsigned* from, const unsigned* step, const unsigned* known,
                                   unsigned* best, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned sum = from[i] + step[i];
  best[i] = sum >= from[i] ? min(sum, known[i]) : known[i];
}
