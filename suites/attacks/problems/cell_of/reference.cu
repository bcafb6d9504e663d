__global__ void reference(int* row, int* col, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= h * w) return;
  row[i] = i / w;
  col[i] = i % w;
}
