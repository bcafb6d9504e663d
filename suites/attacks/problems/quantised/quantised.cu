// A thread an element.
extern "C" __global__ void quantise(const float* x, signed char* q, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) q[i] = (signed char)fminf(fmaxf(rintf(16.f * x[i]), -128.f), 127.f);
}
