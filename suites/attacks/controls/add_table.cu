// control: right, with a table that is only read
__device__ const float signs[4] = {1.0f, 1.0f, 1.0f, 1.0f};
__constant__ float one[2] = {1.0f, 1.0f};
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = signs[i % 4] * a[i] + one[i % 2] * b[i];
}
