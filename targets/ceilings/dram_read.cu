// Ceiling "dram": every thread reads 16 bytes at a time of data that no cache holds, each byte once a launch.
extern "C" __global__ void dram_read(const uint4* data, unsigned long long count, unsigned* out) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned seen = 0;
  for (; i + 3 * stride < count; i += 4 * stride) {
    const uint4 a = data[i], b = data[i + stride], c = data[i + 2 * stride], d = data[i + 3 * stride];
    seen ^= a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
    seen ^= c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
  }
  for (; i < count; i += stride) seen ^= data[i].x ^ data[i].y ^ data[i].z ^ data[i].w;
  if (seen == 0x9e3779b9u) out[0] = seen;  // never, but the compiler cannot know
}
