// By halves.
extern "C" __global__ void searched(int* p, const float* table, const float* q, int n, int size) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table[middle] <= q[i]) low = middle + 1;
    else high = middle;
  }
  p[i] = low;
}
