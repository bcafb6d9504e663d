// Wrong: a lane looks no further behind an infinity, where a NaN may be.
extern "C" __global__ void first_largest(const float* x, int* place, int n) {
  const float* row = x + (long long)blockIdx.x * n;
  const int lane = threadIdx.x;
  float most = -INFINITY;
  int first_nan = n;
  for (int i = lane; i < n; i += 32) {
    const float v = row[i];
    if (v != v) first_nan = min(first_nan, i);
    else most = fmaxf(most, v);
    if (v == INFINITY) break;
  }
  first_nan = __reduce_min_sync(0xffffffffu, first_nan);
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
  int first = n;
  for (int i = lane; i < n && first == n; i += 32) {
    if (row[i] == most) first = i;
  }
  first = __reduce_min_sync(0xffffffffu, first);
  if (lane == 0) place[blockIdx.x] = first_nan < n ? first_nan : first;
}
