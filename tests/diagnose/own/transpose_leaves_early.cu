namespace matrix {

__global__ void transpose(const int* source, int* target, int rows, int columns)
{
    const unsigned i = threadIdx.x, j = threadIdx.y;
    const unsigned bx = blockIdx.x * TILE, by = blockIdx.y * TILE;

    __shared__ int block[TILE][TILE + PAD];

    // nothing to load here
    if (bx + i >= columns || by + j >= rows) return;

    block[j][i] = source[(by + j) * columns + (bx + i)];
    __syncthreads();

    const unsigned tx = by + i;
    const unsigned ty = bx + j;
    if (tx < rows && ty < columns) target[ty * rows + tx] = block[i][j];
}

}  // namespace matrix
