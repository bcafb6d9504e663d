extern "C" __global__ void reference(const EVO_REAL* x, int* place, int n) {
  const EVO_REAL* row = x + (long long)blockIdx.x * n;
  int chosen[4];
  for (int k = 0; k < 4; ++k) {
    int best = -1;
    for (int i = 0; i < n; ++i) {
      bool used = false;
      for (int z = 0; z < k; ++z) used = used || chosen[z] == i;
      if (!used && (best < 0 || row[i] > row[best])) best = i;
    }
    chosen[k] = best;
    place[blockIdx.x * 4 + k] = best;
  }
}
