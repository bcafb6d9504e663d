extern "C" __global__ void widest(const unsigned* x, int* bits, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned all = __reduce_or_sync(0xffffffffu, i < n ? x[i] : 0u);
  if (threadIdx.x % 32 == 0 && i < n) bits[i / 32] = 32 - __clz(static_cast<int>(all));
}
