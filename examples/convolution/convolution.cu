// A 5 x 5 filter over an image with a border of 2 on each side.
#define RADIUS 2
#define WIDTH (2 * RADIUS + 1)

__constant__ float d_filter[WIDTH * WIDTH];

__global__ void convolution_naive(float* output, const float* input, const float* filter, int h, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int i = 0; i < WIDTH; ++i)
    for (int j = 0; j < WIDTH; ++j) sum += input[(y + i) * (w + 2 * RADIUS) + x + j] * filter[i * WIDTH + j];
  output[y * w + x] = sum;
}

__global__ void convolution_tiled(float* output, const float* input, int h, int w) {
  __shared__ float tile[block_y * rows + 2 * RADIUS][block_x + 2 * RADIUS];
  const int left = blockIdx.x * block_x, top = blockIdx.y * block_y * rows, pitch = w + 2 * RADIUS;
  for (int y = threadIdx.y; y < block_y * rows + 2 * RADIUS; y += block_y)
    for (int x = threadIdx.x; x < block_x + 2 * RADIUS; x += block_x)
      if (top + y < h + 2 * RADIUS && left + x < pitch) tile[y][x] = input[(top + y) * pitch + left + x];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int x = threadIdx.x, y = threadIdx.y + r * block_y;
    if (top + y >= h || left + x >= w) continue;
    float sum = 0;
    for (int i = 0; i < WIDTH; ++i)
      for (int j = 0; j < WIDTH; ++j) sum += tile[y + i][x + j] * d_filter[i * WIDTH + j];
    output[(top + y) * w + left + x] = sum;
  }
}
