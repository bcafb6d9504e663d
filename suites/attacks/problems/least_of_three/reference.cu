__global__ void reference(const unsigned char* x, unsigned char* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int least = x[i];
  if (i > 0 && x[i - 1] < least) least = x[i - 1];
  if (i + 1 < n && x[i + 1] < least) least = x[i + 1];
  y[i] = (unsigned char)least;
}
