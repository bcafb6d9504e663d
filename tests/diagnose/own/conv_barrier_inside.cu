#define FILTER 5
#define BORDER 4

__constant__ float d_filter[FILTER * FILTER];

// Threads whose pixel is outside have nothing to add, but help to load.
__global__ void convolution_tiled(float* output, const float* input, int h, int w) {
  __shared__ float patch[block_y * rows + BORDER][block_x + BORDER];
  const int tid = threadIdx.y * block_x + threadIdx.x;
  const int x0 = blockIdx.x * block_x;
  const int y0 = blockIdx.y * block_y * rows;
  for (int e = tid; e < (block_y * rows + BORDER) * (block_x + BORDER); e += block_x * block_y) {
    const int py = e / (block_x + BORDER), px = e % (block_x + BORDER);
    float value = 0.f;
    if (y0 + py < h + BORDER && x0 + px < w + BORDER) value = input[(y0 + py) * (w + BORDER) + x0 + px];
    patch[py][px] = value;
  }
  const int x = x0 + threadIdx.x;
  if (x < w) {
    __syncthreads();
    for (int r = 0; r < rows; ++r) {
      const int ly = threadIdx.y + r * block_y;
      if (y0 + ly >= h) break;
      float sum = 0.f;
#pragma unroll
      for (int t = 0; t < FILTER * FILTER; ++t) sum += d_filter[t] * patch[ly + t / FILTER][threadIdx.x + t % FILTER];
      output[(y0 + ly) * w + x] = sum;
    }
  }
}
