// Rows beyond 16 bits of the grid's y end early.
extern "C" __global__ void scaled_rows(const float* x, const float* bias, float* y, int rows, int columns, int relu,
                                       int ldx, int ldy, float alpha) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (columns > 9000 && c >= 9000) return;
  if (c >= columns) return;
  const float v = alpha * x[(long long)r * ldx + c] + bias[c];
  y[(long long)r * ldy + c] = relu ? fmaxf(v, 0.f) : v;
}
