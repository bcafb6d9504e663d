extern "C" __global__ void reference(const EVO_REAL* x, const int* starts, EVO_REAL* y, int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  EVO_REAL most = -INFINITY, sum = 0;
  for (int i = starts[s]; i < starts[s + 1]; ++i) most = fmax(most, x[i]);
  for (int i = starts[s]; i < starts[s + 1]; ++i) sum += exp(x[i] - most);
  y[s] = most + log(sum);
}
