// Wrong: the base is 9999 instead of 10000.
extern "C" __global__ void rotated(const float* x, float* y, int rows, int half) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= rows * half) return;
  const int r = i / half, j = i - r * half;
  const float* in = x + (long long)r * 2 * half;
  float* out = y + (long long)r * 2 * half;
  float s, c;
  sincosf(r * powf(9999.f, -(float)j / half), &s, &c);
  out[j] = in[j] * c - in[half + j] * s;
  out[half + j] = in[j] * s + in[half + j] * c;
}
