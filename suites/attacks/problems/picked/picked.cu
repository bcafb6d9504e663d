// A thread a row.
extern "C" __global__ void picked(const float* score, const float* w, float* y, int rows, int columns) {
  const int r = blockIdx.x * THREADS + threadIdx.x;
  if (r >= rows) return;
  float most = score[(long long)r * columns];
  int best = 0;
  for (int c = 1; c < columns; ++c) {
    const float now = score[(long long)r * columns + c];
    if (now > most) {
      most = now;
      best = c;
    }
  }
  y[r] = w[(long long)r * columns + best];
}
