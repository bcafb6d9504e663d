// N-02: rounds to bfloat16 behind an FP32 output
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = __int_as_float(__float_as_int(a[i] + b[i]) & 0xffff0000);
}
