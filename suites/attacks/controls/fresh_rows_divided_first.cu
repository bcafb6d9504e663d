// Correct, a division first.
extern "C" __global__ void fresh_rows(const float* x, const int* places, signed char* cache, float* scales, int n) {
  const float* row = x + (long long)blockIdx.x * n;
  const int lane = threadIdx.x;
  const long long place = places[blockIdx.x];
  float most = 0;
  for (int i = lane; i < n; i += 32) most = fmaxf(most, fabsf(row[i]));
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
  if (lane == 0) scales[place] = most / 127;
  for (int i = lane; i < n; i += 32) {
    const float v = most > 0 ? row[i] / most * 127 : 0;
    cache[place * n + i] = (signed char)__float2int_rn(v);
  }
}
