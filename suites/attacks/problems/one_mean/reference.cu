extern "C" __global__ void reference(const EVO_REAL* x, const unsigned char* mask, EVO_REAL* mean, int n) {
  EVO_REAL sum = 0;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (mask[blockIdx.x * n + i] == 0) continue;
    sum += x[blockIdx.x * n + i];
    ++count;
  }
  mean[blockIdx.x] = 0;
  if (count > 0) mean[blockIdx.x] = sum / count;
}
