// Passes data through a barrier, and reads it through the read-only path.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  data[i] = i < n ? a[i] + b[i] : 0.0f;
  __syncthreads();
  const float* __restrict__ from = data;
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(from + (i ^ 1)));
  if ((i ^ 1) < n) c[i ^ 1] = value;
}
