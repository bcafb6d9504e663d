namespace matrix {

// Reads rows, writes rows; the tile turns in shared memory.
__global__ void transpose(const int* in, int* out, int height, int width) {
  __shared__ int buf[TILE][TILE + PAD];

  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  if (col < width && row < height) {
    buf[threadIdx.y][threadIdx.x] = in[row * width + col];
  }
  __syncthreads();

  col = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  if (col < width && row < height) {
    out[row * height + col] = buf[threadIdx.x][threadIdx.y];
  }
}

}  // namespace matrix
