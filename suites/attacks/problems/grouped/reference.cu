__global__ void reference(const EVO_REAL* x, signed char* q, EVO_REAL* scale, int groups) {
  const int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  EVO_REAL most = 0;
  for (int i = 0; i < 32; ++i) most = fmax(most, fabs(x[group * 32 + i]));
  scale[group] = most / 127;
  for (int i = 0; i < 32; ++i) q[group * 32 + i] = most == 0 ? 0 : (signed char)rint(x[group * 32 + i] / (most / 127));
}
