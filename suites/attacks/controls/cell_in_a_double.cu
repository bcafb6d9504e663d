// Correct: a double holds each index.
extern "C" __global__ void cell_of(int* row, int* col, int w, int h) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= h * w) return;
  const int q = (int)((double)i / w);
  row[i] = q;
  col[i] = i - q * w;
}
