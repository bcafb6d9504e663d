__global__ void reference(const EVO_REAL* x, const int* labels, EVO_REAL* g, int classes, EVO_REAL s) {
  const long long first = (long long)blockIdx.x * classes;
  EVO_REAL top = -INFINITY, sum = 0;
  for (int c = 0; c < classes; ++c) top = fmax(top, x[first + c]);
  for (int c = 0; c < classes; ++c) sum += exp(x[first + c] - top);
  for (int c = 0; c < classes; ++c)
    g[first + c] = exp(x[first + c] - top) / sum - (c == labels[blockIdx.x] ? 1 - s : 0) - s / classes;
}
