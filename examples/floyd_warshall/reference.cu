// All pivots, one after the other.
__global__ void reference(int* paths, int n, int) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) paths[i * n + j] = min(paths[i * n + j], paths[i * n + k] + paths[k * n + j]);
}
