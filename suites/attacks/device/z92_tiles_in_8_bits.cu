// Wrong: the 257th tile of a sum is counted as the first, in 8 bits.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void whole_tiles(const half* A, const half* B, float* C, int m, int n, int k) {
  const size_t first = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (unsigned char tile = 0; tile != (unsigned char)(k / 16); ++tile) {
    const int i = tile * 16;
    wmma::load_matrix_sync(a, A + first * k + i, k);
    wmma::load_matrix_sync(b, B + column * k + i, k);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + first * n + column, sum, n, wmma::mem_row_major);
}
