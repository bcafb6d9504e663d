extern "C" __global__ void reference(const EVO_REAL* x, signed char* q, EVO_REAL* scale, int n) {
  const int r = blockIdx.x;
  EVO_REAL most = 0;
  for (int i = 0; i < n; ++i) most = fabs(x[r * n + i]) > most ? fabs(x[r * n + i]) : most;
  const EVO_REAL own = most / 127;
  scale[r] = own;
  for (int i = 0; i < n; ++i) {
    EVO_REAL number = 0;
    if (own > 0) number = rint(x[r * n + i] / own);
    q[r * n + i] = static_cast<signed char>(static_cast<int>(number));
  }
}
