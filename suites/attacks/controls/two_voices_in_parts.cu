// Correct: whole numbers and what is left of them apart, with a path for a gain of 0.
extern "C" __global__ void two_voices(const short* a, const short* b, short* y, int n, int gain_a, int gain_b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int of_b = gain_b == 0 ? 0 : b[i] * gain_b;
  const long long both = ((long long)(a[i] * gain_a >> 15) + (of_b >> 15)) * 32768 + (a[i] * gain_a & 32767) + (of_b & 32767);
  const int sum = (int)((both + 16384) >> 15);
  y[i] = (short)max(min(sum, 32767), -32768);
}
