// Ceiling "tensor_fp16" of sm_90a: wgmma of FP16 with FP32 accumulators, operands in shared memory, 64 x 256
// x 16 a warpgroup and instruction.
#include "evo_wgmma.cuh"

EVO_WGMMA_SS(multiply, 256, 0)

extern "C" __global__ void __launch_bounds__(256) tensor_wgmma(int iterations, float* out) {
  // Rows of 64 values of k: 64 rows of A, then 256 of B.
  __shared__ __align__(1024) unsigned tiles[(64 + 256) * 32];
  for (unsigned i = threadIdx.x; i < (64 + 256) * 32; i += blockDim.x)
    tiles[i] = 0x2c00ac00u + 0x00370021u * ((i * 7) & 31);  // about 0.06
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(tiles));
  const unsigned long long kind = make_smem_descriptor<128>(16);
  float sums[128] = {};
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
    warpgroup_fence_operand(sums);
    warpgroup_arrive();
#pragma unroll
    for (int k = 0; k < 16; ++k) {  // 64 values of k, four times
      multiply(sums, kind | smem_descriptor_address(base + 32 * (k & 3)),
               kind | smem_descriptor_address(base + 64 * 128 + 32 * (k & 3)), 1);
    }
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    warpgroup_fence_operand(sums);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 128; ++k) sum += sums[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
