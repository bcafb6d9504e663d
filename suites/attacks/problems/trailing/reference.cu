extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* sum, int window, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  EVO_REAL all = 0;
  for (int j = i - window + 1; j <= i; ++j)
    if (j >= 0) all += x[j];
  sum[i] = all;
}
