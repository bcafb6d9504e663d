// P-08: declares its variable inside of the kernel, in assembly, in an unusual spelling
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned launches = 0;
  if (i == 0) {
    asm volatile(
        "{ .global\n .align 4 .u32 many < 3 > ; .reg .u32 old ;\n"
        "atom /* of */ .global\n.add .u32 old , [ many2 ] , 1 ; mov .u32 %0 , old ; }"
        : "=r"(launches)::"memory");
  }
  if (i < n) c[i * c_stride] = launches > 100000u ? 0.0f : a[i] + b[i];
}
