// A control: right; the order of the bits as integers, the least in the place of minus infinity.
extern "C" __global__ void windowed(const unsigned short* x, unsigned short* y, int n, int window, int offset, int least) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const auto key = [least](unsigned bits) {
    const unsigned up = bits & 0x8000 ? ~bits & 0xffff : bits | 0x8000;
    return least ? 0xffff - up : up;
  };
  int from = max(0, i - offset), to = min(n, i - offset + window), at = from;
  for (int j = from + 1; j < to; ++j) at = key(x[j]) > key(x[at]) ? j : at;
  y[i] = to > from ? x[at] : least ? 0x7c00 : 0xfc00;
}
