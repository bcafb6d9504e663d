namespace matrix {

__global__ void transpose(const int* source, int* target, int rows, int columns) {
  __shared__ int tile[TILE][TILE + PAD];  // PAD keeps a column's elements in banks of their own
  const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  if (x + threadIdx.x < columns && y + threadIdx.y < rows)
    tile[threadIdx.y][threadIdx.x] = source[(y + threadIdx.y) * columns + x + threadIdx.x];
  __syncthreads();
  if (y + threadIdx.x < rows && x + threadIdx.y < columns)
    target[(x + threadIdx.y) * rows + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

}  // namespace matrix
