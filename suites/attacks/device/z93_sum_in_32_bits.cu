// Wrong: the sum leaves 32 bits where all four are at their least.
extern "C" __global__ void two_voices(const short* a, const short* b, short* y, int n, int gain_a, int gain_b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int both = a[i] * gain_a + b[i] * gain_b;
  const int sum = (int)((both + 16384) >> 15);
  y[i] = (short)max(min(sum, 32767), -32768);
}
