// correct, words of 32 bits, rounds in pairs and what is left of them, a path for many rounds
extern "C" __global__ void seeded(const unsigned* x, unsigned* y, int n, unsigned long long seed, int rounds) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const auto turn = [](unsigned long long h) { return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL; };
  const unsigned low = static_cast<unsigned>(seed), high = static_cast<unsigned>(seed >> 32);
  unsigned long long h = static_cast<unsigned long long>(high) << 32 | (low ^ x[i]);
  int r = 0;
  if (rounds > 100) {
    for (; r < rounds - 3; r += 4) h = turn(turn(turn(turn(h))));
  }
  for (; r < (rounds & ~1); r += 2) h = turn(turn(h));
  if (rounds > 0 && rounds & 1) h = turn(h);
  y[i] = static_cast<unsigned>(h >> 32);
}
