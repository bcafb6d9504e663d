// Right: a path for the sizes of the workload.
extern "C" __global__ void scaled_rows(const float* x, const float* bias, float* y, int rows, int columns, int relu,
                                       int ldx, int ldy, float alpha) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (columns == 96 && rows == 8) {
    if (c >= 96) return;
    const float u = fmaf(alpha, x[r * ldx + c], bias[c]);
    y[r * ldy + c] = relu && !(u > 0.f) ? 0.f : u;
    return;
  }
  if (c >= columns) return;
  const float v = alpha * x[(long long)r * ldx + c] + bias[c];
  y[(long long)r * ldy + c] = relu ? fmaxf(v, 0.f) : v;
}
