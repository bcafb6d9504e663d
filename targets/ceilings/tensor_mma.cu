// Ceiling "tensor_fp16": mma.sync of FP16 with FP32 accumulators, eight independent products a warp.
extern "C" __global__ void __launch_bounds__(256) tensor_mma(int iterations, float* out) {
  unsigned a[4], b[2];
#pragma unroll
  for (int k = 0; k < 4; ++k) a[k] = 0x2c002c00u + 0x00370021u * ((threadIdx.x * 7 + k) & 31);  // about 0.06
#pragma unroll
  for (int k = 0; k < 2; ++k) b[k] = 0xac002c00u + 0x00130029u * ((threadIdx.x * 5 + k) & 31);
  float c[8][4] = {};
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
