// S-10: takes other arguments than the problem has
extern "C" __global__ void add(float* c, int n) {
  if (threadIdx.x < n) c[threadIdx.x] = 0;
}
