// The kernel `sgemm` of kernels.cu in OpenCL C: same tiles, same work of each thread.
__kernel void sgemm(__global const float* a, __global const float* b, __global float* c, int n) {
  __local float as[16][68];
  __local float bs[16][64];
  const int thread = get_local_id(0);
  const int tx = thread % 16, ty = thread / 16;
  const int row = get_group_id(1) * 64, column = get_group_id(0) * 64;
  float sum[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sum[i][j] = 0;
  for (int k = 0; k < n; k += 16) {
    for (int i = thread; i < 64 * 16; i += 256) {
      as[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      const float4 x = *(__local const float4*)&as[kk][ty * 4];
      const float4 y = *(__local const float4*)&bs[kk][tx * 4];
      const float xs[4] = {x.x, x.y, x.z, x.w};
      const float ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += xs[i] * ys[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + ty * 4 + i) * n + column + tx * 4 + j] = sum[i][j];
}
