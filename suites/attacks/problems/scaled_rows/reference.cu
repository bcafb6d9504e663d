__global__ void reference(const EVO_REAL* x, const EVO_REAL* bias, EVO_REAL* y, int rows, int columns, int relu,
                          int ldx, int ldy, EVO_REAL alpha) {
  const int r = blockIdx.x;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const EVO_REAL v = alpha * x[(long long)r * ldx + c] + bias[c];
    y[(long long)r * ldy + c] = relu && v < 0 ? 0 : v;
  }
}
