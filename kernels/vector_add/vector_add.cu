// c = a + b. The elements of a thread lie THREADS apart, so that a warp's accesses stay together.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  constexpr int turns = UNROLL;  // pragmas take constants, not macros
  const long long first = static_cast<long long>(blockIdx.x) * (THREADS * PER_THREAD) + threadIdx.x;
#pragma unroll turns
  for (int turn = 0; turn < PER_THREAD; ++turn) {
    const long long i = first + turn * THREADS;
    if (i < n) c[i] = a[i] + b[i];
  }
}
