// 5x5 convolution; block plus halo in shared memory, the halo's right part loaded by the first threads of each row.
#define R 2
#define K 5
#define TW (block_x + 2 * R)
#define TH (block_y * rows + 2 * R)

__constant__ float d_filter[K * K];

__global__ void convolution_tiled(float* out, const float* in, int h, int w) {
  __shared__ float sm[TH * TW];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int ox = blockIdx.x * block_x, oy = blockIdx.y * block_y * rows;
  const int in_w = w + 2 * R, in_h = h + 2 * R;

  for (int r = ty; r < TH; r += block_y) {
    const int gy = min(oy + r, in_h - 1);
    sm[r * TW + tx] = in[gy * in_w + min(ox + tx, in_w - 1)];
    if (tx < R) sm[r * TW + block_x + tx] = in[gy * in_w + min(ox + block_x + tx, in_w - 1)];
  }
  __syncthreads();

  for (int r = ty; r < block_y * rows; r += block_y) {
    if (ox + tx >= w || oy + r >= h) continue;
    float acc = 0.f;
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j) acc += sm[(r + i) * TW + tx + j] * d_filter[i * K + j];
    out[(oy + r) * w + ox + tx] = acc;
  }
}
