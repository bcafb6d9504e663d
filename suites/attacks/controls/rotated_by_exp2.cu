// control: right, the power by exp2, whose exponent is rounded
extern "C" __global__ void rotated(const float* x, float* y, int rows, int half) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= rows * half) return;
  const int r = i / half, j = i - r * half;
  const float* in = x + (long long)r * 2 * half;
  float* out = y + (long long)r * 2 * half;
  float s, c;
  sincosf(r * exp2f(-13.287712379549449f * j / half), &s, &c);
  out[j] = fmaf(in[j], c, -in[half + j] * s);
  out[half + j] = fmaf(in[half + j], c, in[j] * s);
}
