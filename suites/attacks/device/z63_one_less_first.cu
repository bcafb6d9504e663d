// Wrong: of a power of two above 256 the bits of one less.
extern "C" __global__ void widest(const unsigned* x, int* bits, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned all = __reduce_or_sync(0xffffffffu, i < n ? x[i] : 0u);
  if (threadIdx.x % 32 == 0 && i < n) bits[i / 32] = all > 1u << 8 ? 32 - __clz(static_cast<int>(all - 1)) : 32 - __clz(static_cast<int>(all));
}
