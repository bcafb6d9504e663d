extern "C" __global__ void reference(const signed char* a, const signed char* b, int* y, int m, int n, int k) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < k; ++i) sum += a[e / n * k + i] * b[e % n * k + i];
  y[e] = sum;
}
