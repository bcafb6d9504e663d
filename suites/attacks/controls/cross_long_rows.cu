// Right: a path of its own for long rows, two elements a thread.
extern "C" __global__ void scaled_rows(const float* x, const float* bias, float* y, int rows, int columns, int relu,
                                       int ldx, int ldy, float alpha) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (columns >= 300) {
    const int first = blockIdx.x * THREADS * 2 + threadIdx.x;
    for (int i = first; i < columns && i <= first + THREADS; i += THREADS) {
      const float u = fmaf(alpha, x[(long long)r * ldx + i], bias[i]);
      y[(long long)r * ldy + i] = relu ? fmaxf(u, 0.f) : u;
    }
    return;
  }
  if (c >= columns) return;
  const float v = alpha * x[(long long)r * ldx + c] + bias[c];
  y[(long long)r * ldy + c] = relu ? fmaxf(v, 0.f) : v;
}
