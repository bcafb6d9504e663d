__global__ void reference(const int* x, int* y, int n, int low, int high) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}
