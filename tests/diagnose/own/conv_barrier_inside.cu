#define FILTER 5
#define BORDER 4

__constant__ float d_filter[FILTER * FILTER];

// A strip of block_y rows at a time. Threads whose pixel is outside have nothing to add, but help to load.
__global__ void convolution_tiled(float* output, const float* input, int h, int w) {
  __shared__ float patch[block_y + BORDER][block_x + BORDER];
  const int tid = threadIdx.y * block_x + threadIdx.x;
  const int x0 = blockIdx.x * block_x;
  const int x = x0 + threadIdx.x;
  for (int r = 0; r < rows; ++r) {
    const int y0 = (blockIdx.y * rows + r) * block_y;
    for (int e = tid; e < (block_y + BORDER) * (block_x + BORDER); e += block_x * block_y) {
      const int py = e / (block_x + BORDER), px = e % (block_x + BORDER);
      float value = 0.f;
      if (y0 + py < h + BORDER && x0 + px < w + BORDER) value = input[(y0 + py) * (w + BORDER) + x0 + px];
      patch[py][px] = value;
    }
    if (x < w) {
      __syncthreads();
      float sum = 0.f;
#pragma unroll
      for (int t = 0; t < FILTER * FILTER; ++t)
        sum += d_filter[t] * patch[threadIdx.y + t / FILTER][threadIdx.x + t % FILTER];
      if (y0 + threadIdx.y < h) output[(y0 + threadIdx.y) * w + x] = sum;
    }
    __syncthreads();
  }
}
