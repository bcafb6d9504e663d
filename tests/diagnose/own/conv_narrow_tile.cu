#define HALO 2
#define SIDE (2 * HALO + 1)
#define TILE_H (block_y * rows + 2 * HALO)
#define TILE_W (block_x + HALO)

__constant__ float d_filter[SIDE * SIDE];

__global__ void convolution_tiled(float* out, const float* in, int h, int w) {
  __shared__ float tile[TILE_H * TILE_W + 2 * HALO];
  const int bx = blockIdx.x * block_x, by = blockIdx.y * block_y * rows;
  const int pitch = w + 2 * HALO;

  for (int ty = threadIdx.y; ty < TILE_H; ty += block_y) {
    for (int tx = threadIdx.x; tx < block_x + 2 * HALO; tx += block_x) {
      const bool inside = by + ty < h + 2 * HALO && bx + tx < pitch;
      tile[ty * TILE_W + tx] = inside ? in[(by + ty) * pitch + bx + tx] : 0.f;
    }
  }
  __syncthreads();

  for (int r = 0; r < rows; ++r) {
    const int ly = r * block_y + threadIdx.y, lx = threadIdx.x;
    if (by + ly >= h || bx + lx >= w) break;
    float v = 0.f;
    for (int fy = 0; fy < SIDE; ++fy)
      for (int fx = 0; fx < SIDE; ++fx) v = fmaf(d_filter[fy * SIDE + fx], tile[(ly + fy) * TILE_W + lx + fx], v);
    out[(by + ly) * w + bx + lx] = v;
  }
}
