// Wrong: beyond 2^24 elements a float holds no index of one, and the quotient is off by one.
extern "C" __global__ void cell_of(int* row, int* col, int w, int h) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= h * w) return;
  const int q = (int)((float)i / w);
  row[i] = q;
  col[i] = i - q * w;
}
