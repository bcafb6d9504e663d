// wgmma of sm_90a for FP16 operands and FP32 accumulators: C[64 x N] (+)= A[64 x 16] B[16 x N] by the four
// warps of a warpgroup. PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
//
// A thread's N / 2 accumulators: lane = 4 * g + t of warp w holds, for each 8 columns n, the elements
// (16 w + g, 8 n + 2 t + {0, 1}) in 4 n + {0, 1} and (16 w + g + 8, same columns) in 4 n + {2, 3}. Two such
// groups of 8 columns, rounded to FP16, are the A fragment of 16 values of k.
//
// The instruction lists each accumulator as an operand, so its text depends on N: EVO_WGMMA_SS and
// EVO_WGMMA_RS define a function for one N, a multiple of 16 up to 256.
#pragma once

#define EVO_ACC8(d, i)                                                                        \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])

// Operands of the accumulators, their places in the text, and the places of the (up to six) operands after
// them.
#define EVO_ACC_16(d) EVO_ACC8(d, 0)
#define EVO_ACC_32(d) EVO_ACC_16(d), EVO_ACC8(d, 8)
#define EVO_ACC_48(d) EVO_ACC_32(d), EVO_ACC8(d, 16)
#define EVO_ACC_64(d) EVO_ACC_48(d), EVO_ACC8(d, 24)
#define EVO_ACC_80(d) EVO_ACC_64(d), EVO_ACC8(d, 32)
#define EVO_ACC_96(d) EVO_ACC_80(d), EVO_ACC8(d, 40)
#define EVO_ACC_112(d) EVO_ACC_96(d), EVO_ACC8(d, 48)
#define EVO_ACC_128(d) EVO_ACC_112(d), EVO_ACC8(d, 56)
#define EVO_ACC_144(d) EVO_ACC_128(d), EVO_ACC8(d, 64)
#define EVO_ACC_160(d) EVO_ACC_144(d), EVO_ACC8(d, 72)
#define EVO_ACC_176(d) EVO_ACC_160(d), EVO_ACC8(d, 80)
#define EVO_ACC_192(d) EVO_ACC_176(d), EVO_ACC8(d, 88)
#define EVO_ACC_208(d) EVO_ACC_192(d), EVO_ACC8(d, 96)
#define EVO_ACC_224(d) EVO_ACC_208(d), EVO_ACC8(d, 104)
#define EVO_ACC_240(d) EVO_ACC_224(d), EVO_ACC8(d, 112)
#define EVO_ACC_256(d) EVO_ACC_240(d), EVO_ACC8(d, 120)
#define EVO_PLACES_16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define EVO_PLACES_32 EVO_PLACES_16 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define EVO_PLACES_48 EVO_PLACES_32 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define EVO_PLACES_64 EVO_PLACES_48 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define EVO_PLACES_80 EVO_PLACES_64 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define EVO_PLACES_96 EVO_PLACES_80 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define EVO_PLACES_112 EVO_PLACES_96 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define EVO_PLACES_128 EVO_PLACES_112 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define EVO_PLACES_144 EVO_PLACES_128 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define EVO_PLACES_160 EVO_PLACES_144 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define EVO_PLACES_176 EVO_PLACES_160 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define EVO_PLACES_192 EVO_PLACES_176 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define EVO_PLACES_208 EVO_PLACES_192 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define EVO_PLACES_224 EVO_PLACES_208 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define EVO_PLACES_240 EVO_PLACES_224 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define EVO_PLACES_256 EVO_PLACES_240 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define EVO_AFTER_16 ("%8", "%9", "%10", "%11", "%12", "%13")
#define EVO_AFTER_32 ("%16", "%17", "%18", "%19", "%20", "%21")
#define EVO_AFTER_48 ("%24", "%25", "%26", "%27", "%28", "%29")
#define EVO_AFTER_64 ("%32", "%33", "%34", "%35", "%36", "%37")
#define EVO_AFTER_80 ("%40", "%41", "%42", "%43", "%44", "%45")
#define EVO_AFTER_96 ("%48", "%49", "%50", "%51", "%52", "%53")
#define EVO_AFTER_112 ("%56", "%57", "%58", "%59", "%60", "%61")
#define EVO_AFTER_128 ("%64", "%65", "%66", "%67", "%68", "%69")
#define EVO_AFTER_144 ("%72", "%73", "%74", "%75", "%76", "%77")
#define EVO_AFTER_160 ("%80", "%81", "%82", "%83", "%84", "%85")
#define EVO_AFTER_176 ("%88", "%89", "%90", "%91", "%92", "%93")
#define EVO_AFTER_192 ("%96", "%97", "%98", "%99", "%100", "%101")
#define EVO_AFTER_208 ("%104", "%105", "%106", "%107", "%108", "%109")
#define EVO_AFTER_224 ("%112", "%113", "%114", "%115", "%116", "%117")
#define EVO_AFTER_240 ("%120", "%121", "%122", "%123", "%124", "%125")
#define EVO_AFTER_256 ("%128", "%129", "%130", "%131", "%132", "%133")

#define EVO_PASTE(a, b) a##b
#define EVO_NAME(a, b) EVO_PASTE(a, b)
#define EVO_TEXT_OF(x) #x
#define EVO_TEXT(x) EVO_TEXT_OF(x)
#define EVO_FIRST(a, b, c, d, e, f) a
#define EVO_SECOND(a, b, c, d, e, f) b
#define EVO_THIRD(a, b, c, d, e, f) c
#define EVO_FOURTH(a, b, c, d, e, f) d
#define EVO_FIFTH(a, b, c, d, e, f) e
#define EVO_SIXTH(a, b, c, d, e, f) f
#define EVO_CALL(macro, list) macro list
#define EVO_PLACE(which, N) EVO_CALL(which, EVO_NAME(EVO_AFTER_, N))

// A and B in shared memory, as matrix descriptors. B_TRANSPOSED 1: B stands as k rows of n.
#define EVO_WGMMA_SS(NAME, N, B_TRANSPOSED)                                                                          \
  __device__ __forceinline__ void NAME(float(&d)[(N) / 2], unsigned long long a, unsigned long long b,               \
                                       int accumulate) {                                                             \
    asm volatile(                                                                                                  \
        "{\n.reg .pred p;\nsetp.ne.b32 p, " EVO_PLACE(EVO_THIRD, N) ", 0;\n"                                       \
        "wgmma.mma_async.sync.aligned.m64n" EVO_TEXT(N) "k16.f32.f16.f16 {" EVO_NAME(EVO_PLACES_, N) "}, "         \
        EVO_PLACE(EVO_FIRST, N) ", " EVO_PLACE(EVO_SECOND, N) ", p, 1, 1, 0, " EVO_TEXT(B_TRANSPOSED) ";\n}"       \
        : EVO_NAME(EVO_ACC_, N)(d)                                                                                 \
        : "l"(a), "l"(b), "r"(accumulate)); \
  }

// A in registers (a fragment of four words a k step), B in shared memory.
#define EVO_WGMMA_RS(NAME, N, B_TRANSPOSED)                                                                          \
  __device__ __forceinline__ void NAME(float(&d)[(N) / 2], const unsigned* a, unsigned long long b,                  \
                                       int accumulate) {                                                             \
    asm volatile(                                                                                                  \
        "{\n.reg .pred p;\nsetp.ne.b32 p, " EVO_PLACE(EVO_SIXTH, N) ", 0;\n"                                       \
        "wgmma.mma_async.sync.aligned.m64n" EVO_TEXT(N) "k16.f32.f16.f16 {" EVO_NAME(EVO_PLACES_, N) "}, {"        \
        EVO_PLACE(EVO_FIRST, N) ", " EVO_PLACE(EVO_SECOND, N) ", " EVO_PLACE(EVO_THIRD, N) ", "                    \
        EVO_PLACE(EVO_FOURTH, N) "}, " EVO_PLACE(EVO_FIFTH, N) ", p, 1, 1, " EVO_TEXT(B_TRANSPOSED) ";\n}"         \
        : EVO_NAME(EVO_ACC_, N)(d)                                                                                 \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate)); \
  }

// Orders a thread's earlier register writes (accumulators, A fragments) before the next wgmma.
__device__ __forceinline__ void warpgroup_arrive() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void warpgroup_commit_batch() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Until at most PENDING groups of this warpgroup's wgmmas are under way.
template <int PENDING>
__device__ __forceinline__ void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// The same for a number that is known once a loop is unrolled, up to 3.
__device__ __forceinline__ void warpgroup_wait_for(int pending) {
  if (pending == 0) warpgroup_wait<0>();
  if (pending == 1) warpgroup_wait<1>();
  if (pending == 2) warpgroup_wait<2>();
  if (pending == 3) warpgroup_wait<3>();
}

// Keeps the compiler from moving reads and writes of registers that a wgmma uses across this point: to it the
// instruction is over once it is issued.
template <int N>
__device__ __forceinline__ void warpgroup_fence_operand(unsigned (&registers)[N], int begin = 0,
                                                        int end = N) {
#pragma unroll
  for (int i = begin; i < end; ++i) asm volatile("" : "+r"(registers[i])::"memory");
}
template <int N>
__device__ __forceinline__ void warpgroup_fence_operand(float (&registers)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(registers[i])::"memory");
}

// Matrix descriptor without its address, for rows of SWIZZLE_BYTES (128 or 64) that stand one after the other
// and are swizzled over that width. leading_bytes: to the next SWIZZLE_BYTES columns, where n is the
// contiguous direction.
template <int SWIZZLE_BYTES>
__device__ __forceinline__ constexpr unsigned long long make_smem_descriptor(unsigned leading_bytes) {
  constexpr unsigned long long kind = SWIZZLE_BYTES == 128 ? 1 : 2;
  return (kind << 62) | (static_cast<unsigned long long>(8 * SWIZZLE_BYTES / 16) << 32) |
         (static_cast<unsigned long long>(leading_bytes / 16) << 16);
}
__device__ __forceinline__ unsigned long long smem_descriptor_address(unsigned shared_address) {
  return (shared_address & 0x3ffff) >> 4;
}
