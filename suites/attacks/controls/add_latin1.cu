// control: right; its author is André, and this file is Latin-1 with carriage returns
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const char* name = "éè";
  if (i < n) c[i * c_stride] = a[i] + b[i] + 0 * name[1];
}