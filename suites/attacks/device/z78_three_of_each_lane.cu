// Wrong: each lane keeps three of its numbers.
extern "C" __global__ void best_four(const float* x, int* place, int n) {
  const int lane = threadIdx.x;
  float value[4];
  int at[4];
  for (int k = 0; k < 4; ++k) {
    value[k] = -INFINITY;
    at[k] = n;
  }
  for (int i = lane; i < n; i += 32) {
    float v = x[(long long)blockIdx.x * n + i];
    int place_of_v = i;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (v > value[k] || (v == value[k] && place_of_v < at[k])) {
        const float lower = value[k];
        const int place_of_lower = at[k];
        value[k] = v;
        at[k] = place_of_v;
        v = lower;
        place_of_v = place_of_lower;
      }
    }
  }
  for (int k = 0; k < 4; ++k) {
    float v = value[0];
    int best = at[0];
    for (int o = 16; o > 0; o /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, v, o);
      const int place_of_other = __shfl_xor_sync(0xffffffffu, best, o);
      if (other > v || (other == v && place_of_other < best)) {
        v = other;
        best = place_of_other;
      }
    }
    if (lane == 0) place[blockIdx.x * 4 + k] = best;
    if (at[0] == best) {
      for (int z = 0; z < 3; ++z) {
        value[z] = value[z + 1];
        at[z] = at[z + 1];
      }
      value[3] = -INFINITY;
      at[3] = n;
    }
  }
}
