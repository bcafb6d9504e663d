#include <cuda_fp16.h>
extern "C" __global__ void whole_tiles(const half* A, const half* B, float* C, int m, int n, int k) {
  for (int e = threadIdx.x; e < 256; e += THREADS) {
    const long long r = blockIdx.y * 16 + e / 16, c = blockIdx.x * 16 + e % 16;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum = fmaf(__half2float(A[r * k + i]), __half2float(B[c * k + i]), sum);
    C[r * n + c] = sum;
  }
}
