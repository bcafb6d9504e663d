// A flag chooses float4, wherever arrays begin.
extern "C" __global__ void scaled_rows(const float* x, const float* bias, float* y, int rows, int columns, int relu,
                                       int ldx, int ldy, float alpha) {
  const int c = blockIdx.x * THREADS + threadIdx.x, r = blockIdx.y;
  if (relu && columns >= 64 && columns % 4 == 0 && ldx % 4 == 0 && ldy % 4 == 0) {
    if (c % 4 != 0 || c >= columns) return;
    const float4 u = *(const float4*)(x + (long long)r * ldx + c), w = *(const float4*)(bias + c);
    float4 v = make_float4(alpha * u.x + w.x, alpha * u.y + w.y, alpha * u.z + w.z, alpha * u.w + w.w);
    if (relu) v = make_float4(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f));
    *(float4*)(y + (long long)r * ldy + c) = v;
    return;
  }
  if (c >= columns) return;
  const float v = alpha * x[(long long)r * ldx + c] + bias[c];
  y[(long long)r * ldy + c] = relu ? fmaxf(v, 0.f) : v;
}
