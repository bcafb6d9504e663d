extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n, int m) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x, r = e / m, i = e % m;
  EVO_REAL place = (i + 0.5f) * n / m - 0.5f;
  if (place < 0) place = 0;
  const int left = place > n - 1 ? n - 1 : static_cast<int>(place), right = left + 1 < n ? left + 1 : left;
  const EVO_REAL share = place - left;
  y[e] = (1 - share) * x[r * n + left] + share * x[r * n + right];
}
