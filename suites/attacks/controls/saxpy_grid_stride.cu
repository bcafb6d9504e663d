// control: right, a warp for 64 elements, lanes that run out of them leave the loop one by one
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * THREADS + threadIdx.x) / 32;
  const int warps = gridDim.x * THREADS / 32;
  for (int tile = warp; tile * 32 < n; tile += warps) {
    const int i = tile * 32 + lane;
    float value;
    bool have = false;
    if (i < n) {
      value = fmaf(alpha, x[i], y[i]);
      have = true;
    }
    // How many have a value: those without are asked too.
    const int count = __popc(__ballot_sync(0xffffffffu, have));
    // A lane may look at the value of its neighbour, if that has one.
    const float next = __shfl_down_sync(0xffffffffu, value, 1);
    const bool same = lane + 1 < count && next == value;
    if (same) value = next;
    if (have && lane < count) z[i] = value;
  }
}
