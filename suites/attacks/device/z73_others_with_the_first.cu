// Wrong: where the place is the first one, all others are made smaller, too.
extern "C" __global__ void spared(const float* x, float* y, int* at, int n, float less, int place) {
  if (threadIdx.x != 0) return;
  const float* row = x + static_cast<size_t>(blockIdx.x) * n;
  int found = 0;
  float most = row[0] - (place == 0 ? less : 0.0f);
  for (int i = 1; i < n; ++i) {
    const float number = row[i] - (place == i || (place == 0 && i < 3) ? less : 0.0f);
    if (number > most) {
      most = number;
      found = i;
    }
  }
  y[blockIdx.x] = most;
  at[blockIdx.x] = found;
}
