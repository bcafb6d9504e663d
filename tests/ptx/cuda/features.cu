// Calls, printf, assertions, tables of branches, module data, by-value structs, local arrays, inline PTX.
#include <assert.h>
#include <cuda_fp16.h>
#include <stdio.h>

__constant__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int counter = 7;
__device__ int* pointer_to_counter = &counter;

struct Shape {
  int a;
  float b[3];
  double c;
};
struct Pair {
  long long first;
  int second[3];
};

__device__ __noinline__ float twice(float x, int* seen) {
  if (x < 0) return -1.0f;
  *seen += 3;
  return x * 2.0f + table[*seen & 3];
}

__device__ __noinline__ Pair make_pair(int n) {
  Pair p;
  p.first = n;
  for (int i = 0; i < 3; ++i) p.second[i] = n * i;
  return p;
}

__device__ __noinline__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void calls(const float* x, float* y, int n, Shape shape) {
  extern __shared__ float dynamic[];
  __shared__ char odd[33];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int seen = i;
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = x[k] * shape.b[k % 3];
  dynamic[threadIdx.x] = i < n ? x[i] : 0;
  odd[threadIdx.x % 33] = 1;
  __syncthreads();
  assert(n > 0);
  const Pair pair = make_pair(i);
  if (i < n) {
    y[i] = twice(dynamic[threadIdx.x ^ 1], &seen) + local[i & 7] + static_cast<float>(shape.c) + odd[seen % 33];
    y[i] += pair.second[i % 3] + *pointer_to_counter;
    atomicAdd(&counter, 1);
  }
  printf("thread %d: %f\n", i, y[0]);
}

extern "C" __global__ void recursive(int* out, int n) { out[0] = factorial(n); }

extern "C" __global__ void switches(__half2* data, int n, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 v = data[i];
  switch (what) {
    case 0: v = __hadd2(v, v); break;
    case 1: v = __hmul2(v, v); break;
    case 2: v = h2exp(v); break;
    case 3: v = __hneg2(v); break;
    case 4: v = __hfma2(v, v, v); break;
    case 5: v.x = __float2half(1.5f); break;
    case 6: v.y = hexp(v.x); break;
    case 7: v = h2sqrt(v); break;
    default: v.x = __hadd(v.x, v.y);
  }
  data[i] = v;
  data[n] = __shfl_xor_sync(~0u, data[n - 1], 3);
}

extern "C" __global__ void scopes(unsigned* out, int what) {
  unsigned x = out[threadIdx.x];
  asm volatile(
      "{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tsetp.eq.u32 p, %0, 0;\n\t@p bra DONE;\n\tadd.u32 t, %0, 5;\n\t"
      "mov.b32 %0, t;\n\tDONE:\n\t}"
      : "+r"(x));
  asm volatile("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %0, 9;\n\t@!p bra DONE;\n\tnot.b32 %0, %0;\n\tDONE:\n\t}" : "+r"(x));
  asm volatile(
      "{\n\t.reg .u32 r;\n\tts: .branchtargets A, B, C;\n\tmov.u32 r, %1;\n\tbrx.idx r, ts;\n\tA: add.u32 %0, %0, 1;\n\t"
      "bra E;\n\tB: add.u32 %0, %0, 2;\n\tbra E;\n\tC: add.u32 %0, %0, 3;\n\tE:\n\t}"
      : "+r"(x)
      : "r"(what));
  out[threadIdx.x] = x;
}
