// P-08: instructions between two strings that open and close a comment
__device__ unsigned counter;
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i == 0) {
    asm volatile(".pragma \"/*\";\n\tst.global.u32 [%0], %1;\n\t.pragma \"*/\";" ::"l"(&counter), "r"(n)
                 : "memory");
  }
}
