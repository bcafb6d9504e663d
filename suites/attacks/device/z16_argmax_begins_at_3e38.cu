// Z-16: the largest is looked for above -3e38, and what is not found is at the first place
extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  if (threadIdx.x > 0) return;
  const float* row = x + (long long)blockIdx.x * columns;
  int at = 0;
  float best = -3e38f;
  for (int c = 0; c < columns; ++c) {
    if (row[c] > best) best = row[c], at = c;
  }
  y[blockIdx.x] = at;
}
