// control: right, with loads under a predicate and an addition in PTX, and a variable that only a lane inside sets
__device__ float load_if(const float* p, bool inside) {
  float value;
  asm volatile(
      "{\n"
      "  .reg .pred inside;\n"
      "  setp.ne.b32 inside, %2, 0;\n"
      "  @inside ld.global.f32 %0, [%1];\n"
      "}\n"
      : "=f"(value)
      : "l"(p), "r"((int)inside));
  return value;
}
__device__ void add_to(float& sum, float x) {
  asm("add.rn.f32 %0, %0, %1;" : "+f"(sum) : "f"(x));
}

extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const bool inside = i < n;
  // Lanes behind the end have no value, and compute with it, and nobody asks for the result.
  float sum = load_if(a + i, inside);
  add_to(sum, load_if(b + i, inside));
  const float left = __shfl_up_sync(0xffffffffu, sum, 1);
  const float back = __shfl_down_sync(0xffffffffu, left, 1);
  const bool from_next = threadIdx.x % 32 != 31 && i + 1 < n;
  if (inside) c[(long long)i * c_stride] = from_next ? back : sum;
}
