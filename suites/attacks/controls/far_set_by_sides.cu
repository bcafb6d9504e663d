// Correct: one side after the other, the second no further than the first.
extern "C" __global__ void far_set(const unsigned char* x, int* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned char* row = x + static_cast<size_t>(blockIdx.y) * n;
  int left = i, right = i;
  while (left >= 0 && row[left] != 0) --left;
  const int most = left < 0 ? n : i - left;
  while (right < n && right - i < most && row[right] != 0) ++right;
  y[static_cast<size_t>(blockIdx.y) * n + i] = right < n && right - i < most ? right - i : most;
}
