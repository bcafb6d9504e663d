__global__ void reference(int* p, const EVO_REAL* table, const EVO_REAL* q, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  while (count < size && table[count] <= q[i]) ++count;
  p[i] = count;
}
