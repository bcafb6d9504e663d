// U-11: an operand of inline PTX that is read and written, and has no value
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float product;
  asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(product) : "f"(alpha), "f"(x[i]));
  z[i] = product + y[i];
}
