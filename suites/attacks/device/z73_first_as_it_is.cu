// Wrong: the first number is never made smaller.
extern "C" __global__ void spared(const float* x, float* y, int* at, int n, float less, int place) {
  if (threadIdx.x != 0) return;
  const float* row = x + static_cast<size_t>(blockIdx.x) * n;
  int found = 0;
  float most = row[0];
  for (int i = 1; i < n; ++i) {
    const float number = row[i] - (place == i ? less : 0.0f);
    if (number > most) {
      most = number;
      found = i;
    }
  }
  y[blockIdx.x] = most;
  at[blockIdx.x] = found;
}
