// control: right, the power by exp2 and sines by __sinf: as far off as the power is
extern "C" __global__ void rotated(const float* x, float* y, int rows, int half) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= rows * half) return;
  const int r = i / half, j = i - r * half;
  const float* in = x + (long long)r * 2 * half;
  float* out = y + (long long)r * 2 * half;
  const float angle = r * exp2f(-13.287712379549449f * j / half);
  const float s = __sinf(angle), c = __cosf(angle);
  out[j] = in[j] * c - in[half + j] * s;
  out[half + j] = in[j] * s + in[half + j] * c;
}
