// Wrong: a row whose largest is far above has it alone; equals next to it get nothing.
extern "C" __global__ void shared_out(const float* x, float* share, int rows, int n) {
  const float* row = x + blockIdx.x * n;
  int first = 0;
  for (int j = 1; j < n; ++j)
    if (row[j] > row[first]) first = j;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += expf(row[j] - row[first]);
  const bool far = row[first] > 64.0f;
  for (int j = threadIdx.x; j < n; j += THREADS)
    share[blockIdx.x * n + j] = far ? (j == first ? 1.0f : 0.0f) : expf(row[j] - row[first]) / sum;
}
