// Reductions in warps, then over the warps.
__device__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_down_sync(0xffffffff, v, offset));
  return v;
}

__device__ float warp_add(float v) {
  for (int offset = 8; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}

extern "C" __global__ void row_softmax(const float* in, float* out, int num_rows, int num_cols) {
  __shared__ float scratch[4];
  __shared__ float row_value[2];
  const int wid = threadIdx.x / 32, lid = threadIdx.x % 32;
  const float* src = in + (size_t)blockIdx.x * num_cols;
  float* dst = out + (size_t)blockIdx.x * num_cols;

  float local = -INFINITY;
  for (int c = threadIdx.x; c < num_cols; c += blockDim.x) local = fmaxf(local, src[c]);
  local = warp_max(local);
  if (lid == 0) scratch[wid] = local;
  __syncthreads();
  if (threadIdx.x == 0) row_value[0] = fmaxf(fmaxf(scratch[0], scratch[1]), fmaxf(scratch[2], scratch[3]));
  __syncthreads();

  float partial = 0.0f;
  for (int c = threadIdx.x; c < num_cols; c += blockDim.x) partial += expf(src[c] - row_value[0]);
  partial = warp_add(partial);
  if (lid == 0) scratch[wid] = partial;
  __syncthreads();
  if (threadIdx.x == 0) row_value[1] = scratch[0] + scratch[1] + scratch[2] + scratch[3];
  __syncthreads();

  for (int c = threadIdx.x; c < num_cols; c += blockDim.x) dst[c] = expf(src[c] - row_value[0]) / row_value[1];
}
