// One thread, the one of the only output. The workspace is the kernels' affair.
__global__ void reference(const EVO_REAL* x, EVO_REAL*, EVO_REAL* sum, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;
  EVO_REAL all = 0;
  for (int i = 0; i < n; ++i) all += x[i];
  sum[0] = all;
}
