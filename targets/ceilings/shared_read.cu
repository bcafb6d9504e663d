// Ceiling "shared": 16 bytes a thread and load, without bank conflicts.
extern "C" __global__ void __launch_bounds__(256) shared_read(int iterations, unsigned* out) {
  __shared__ uint4 data[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) data[i] = make_uint4(i, i + 1, i + 2, i + 3);
  __syncthreads();
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(data));
  unsigned seen = 0;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      unsigned x, y, z, w;
      const unsigned at = base + 16 * ((threadIdx.x + 128 * k + 32 * i) & 1023);
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
      seen ^= x ^ y ^ z ^ w;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
