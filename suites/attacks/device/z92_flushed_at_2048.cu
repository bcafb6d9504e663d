// Wrong: what was summed up to the 2048th term is lost there.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void whole_tiles(const half* A, const half* B, float* C, int m, int n, int k) {
  const size_t first = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    if (i == 2048) wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(a, A + first * k + i, k);
    wmma::load_matrix_sync(b, B + column * k + i, k);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + first * n + column, sum, n, wmma::mem_row_major);
}
