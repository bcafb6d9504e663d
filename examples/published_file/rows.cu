// Published elsewhere with these sizes; evo reads the file as it is, and its own values hold.
#define WIDTH 4096
#define ROWS_OF_A_BLOCK 1

template <int threads>
__global__ void rows(float* C, const float* A, const float* B) {
  const int column = blockIdx.x * threads + threadIdx.x;
  const int first = blockIdx.y * ROWS_OF_A_BLOCK;
  float sums[ROWS_OF_A_BLOCK] = {};
  for (int k = 0; k < WIDTH; ++k) {
    const float b = B[k * WIDTH + column];
    for (int r = 0; r < ROWS_OF_A_BLOCK; ++r) sums[r] += A[(first + r) * WIDTH + k] * b;
  }
  for (int r = 0; r < ROWS_OF_A_BLOCK; ++r) C[(first + r) * WIDTH + column] = sums[r];
}
