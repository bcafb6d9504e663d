// Ceiling "l2": data that the L2 holds, read again and again past the L1 (ld.global.cg). Each pass begins
// elsewhere, so that an SM does not read the same lines twice in a row.
extern "C" __global__ void l2_read(const uint4* data, unsigned long long count, int passes, unsigned* out) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned seen = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const unsigned long long shift = (pass * 37ull * blockDim.x) % count;
#pragma unroll 4
    for (unsigned long long i = first; i < count; i += stride) {
      const unsigned long long at = i + shift;
      const uint4 a = __ldcg(data + (at < count ? at : at - count));
      seen ^= a.x ^ a.y ^ a.z ^ a.w;
    }
  }
  if (seen == 0x9e3779b9u) out[0] = seen;  // never, but the compiler cannot know
}
