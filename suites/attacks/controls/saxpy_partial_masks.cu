// control: right, with the masks of ballots and of __activemask where a warp has come together
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int lane = threadIdx.x % 32;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned inside = __ballot_sync(0xffffffffu, i < n);
  if (inside == 0) return;
  const int last = 31 - __clz(inside);
  float product = 0;
  if (i < n) {
    product = alpha * x[i];
    // Only those inside of the array: the last of them hands on how far it goes.
    const int end = __shfl_sync(inside, i, last);
    if (i > end) return;
  }
  __syncwarp();
  const unsigned all = __activemask();
  const unsigned voters = __ballot_sync(all, lane <= last);
  if ((voters >> lane & 1) != 0 && i < n) z[i] = product + y[i];
}
