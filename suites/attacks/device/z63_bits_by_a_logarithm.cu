// Wrong: a float does not hold one more than a large power of two.
extern "C" __global__ void widest(const unsigned* x, int* bits, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned all = __reduce_or_sync(0xffffffffu, i < n ? x[i] : 0u);
  if (threadIdx.x % 32 == 0 && i < n) bits[i / 32] = static_cast<int>(ceilf(log2f(static_cast<float>(all) + 1.0f)));
}
