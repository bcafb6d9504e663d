// S-09: asks which files exist in a way that the scan cannot see
#define PASTE(a, b) a##b
#if PASTE(__has_, include)("/etc/passwd")
#error the file is there
#endif
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
