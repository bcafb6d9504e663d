__global__ void reference(int* d, const int* weight, int n) {
  for (int i = 0; i < n * n; ++i) d[i] = i / n == i % n ? 0 : weight[i];
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int sum = d[i * n + k] + d[k * n + j];
        if (sum < d[i * n + j]) d[i * n + j] = sum;
      }
    }
  }
}
