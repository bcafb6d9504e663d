// Correct: from the last candidate to the first.
extern "C" __global__ void picked(const float* score, const float* w, float* y, int rows, int columns) {
  const int r = blockIdx.x * THREADS + threadIdx.x;
  if (r >= rows) return;
  // From the last on: of equals the one that comes later here is the first.
  float most = score[(long long)r * columns + columns - 1];
  int best = columns - 1;
  for (int c = columns - 2; c >= 0; --c) {
    const float now = score[(long long)r * columns + c];
    if (now >= most) {
      most = now;
      best = c;
    }
  }
  y[r] = w[(long long)r * columns + best];
}
