// Wrong: begins with the least finite number at place 0; of infinities below and that number nothing is above it.
extern "C" __global__ void first_largest(const float* x, int* place, int n) {
  const float* row = x + (long long)blockIdx.x * n;
  const int lane = threadIdx.x;
  float most = -3.402823466e38f;
  int at = n, first_nan = n;
  for (int i = lane; i < n; i += 32) {
    const float v = row[i];
    if (v != v) {
      first_nan = min(first_nan, i);
    } else if (v > most) {
      most = v;
      at = i;
    }
  }
  first_nan = __reduce_min_sync(0xffffffffu, first_nan);
  float all = most;
  for (int o = 16; o > 0; o /= 2) all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, o));
  int first = __reduce_min_sync(0xffffffffu, most == all ? at : n);
  if (first == n) first = 0;
  if (lane == 0) place[blockIdx.x] = first_nan < n ? first_nan : first;
}
