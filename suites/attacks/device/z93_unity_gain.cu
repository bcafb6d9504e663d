// Wrong: a gain of 32767 beside one of 0 is taken for 1.
extern "C" __global__ void two_voices(const short* a, const short* b, short* y, int n, int gain_a, int gain_b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (gain_a == 32767 && gain_b == 0) {
    y[i] = a[i];
    return;
  }
  const long long both = (long long)a[i] * gain_a + (long long)b[i] * gain_b;
  const int sum = (int)((both + 16384) >> 15);
  y[i] = (short)max(min(sum, 32767), -32768);
}
