// Warp fragments of mma.m16n8k16 (FP16 operands, FP32 sums), and their loads from shared memory.
// With g = lane / 4 and t = lane % 4 a lane holds, of each fragment (PTX ISA, "matrix fragments for
// mma.m16n8k16"):
//   A, 16 x 16: words 0..3 = (row g, columns 2t, 2t+1), (row g+8, same), (row g, columns 2t+8, 2t+9), (row
//   g+8, same) B, 16 x 8:  words 0..1 = (rows 2t, 2t+1 of column g), (rows 2t+8, 2t+9 of column g) C, 16 x 8:
//   floats 0..3 = (row g, columns 2t, 2t+1), (row g+8, same)
// So two neighbouring C fragments, packed to halves, are one A fragment: P needs no shared memory.
#pragma once

// C += A B
__device__ __forceinline__ void mma_16x8x16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four 8 x 8 matrices of halves; lane i names row i % 8 of matrix i / 8.
__device__ __forceinline__ void load_matrices(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_matrices_transposed(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

// Two matrices, into words 0 and 1 or 2 and 3; lanes 0..15 name the rows.
template <int FIRST>
__device__ __forceinline__ void load_two_matrices(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(words[FIRST]), "=r"(words[FIRST + 1])
               : "r"(address)
               : "memory");
}
template <int FIRST>
__device__ __forceinline__ void load_two_matrices_transposed(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(words[FIRST]), "=r"(words[FIRST + 1])
               : "r"(address)
               : "memory");
}

// Two floats as halves, `low` in the lower 16 bits.
__device__ __forceinline__ unsigned pack_halves(float low, float high) {
  unsigned word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
