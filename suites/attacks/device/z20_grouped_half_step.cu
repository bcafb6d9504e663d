// a quotient is rounded to 16 bits before it is rounded to an integer: one in some hundred goes the other way.
extern "C" __global__ void grouped(const float* x, signed char* q, float* scale, int groups) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= groups * 32) return;
  const float v = x[i];
  float most = fabsf(v);
  for (int lanes = 16; lanes > 0; lanes /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, lanes));
  if (threadIdx.x % 32 == 0) scale[i / 32] = most / 127;
  q[i] = most == 0 ? 0 : (signed char)rintf(__uint_as_float((__float_as_uint(v * 127 / most) + 128u) & 0xffffff00u));
}
