extern "C" __global__ void row_softmax(const float* src, float* dst, int R, int C) {
  __shared__ float part_m[8];
  __shared__ float part_s[8];
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  src += 1LL * blockIdx.x * C;
  dst += 1LL * blockIdx.x * C;

  float m = -3.4e38f;
  for (int c = threadIdx.x; c < C; c += blockDim.x) m = fmaxf(m, src[c]);
  for (int d = 1; d < 32; d <<= 1) m = fmaxf(m, __shfl_xor_sync(0xFFFFFFFF, m, d));
  if (!lane) part_m[warp] = m;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) m = fmaxf(m, part_m[w]);

  float s = 0.f;
  for (int c = threadIdx.x; c < C; c += blockDim.x) s += expf(src[c] - m);
  for (int d = 1; d < 32; d <<= 1) s += __shfl_xor_sync(0xFFFFFFFF, s, d);
  if (!lane) part_s[warp] = s;
  __syncthreads();
  s = 0.f;
  for (int w = 0; w < 8; ++w) s += part_s[w];

  for (int c = threadIdx.x; c < C; c += blockDim.x) dst[c] = expf(src[c] - m) / s;
}
