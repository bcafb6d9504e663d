// T-18: lets what follows it start before it has finished
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents;");
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
