// control: right; comments and strings speak of __TIME__, __DATE__ and of
// #include "/etc/passwd"
/* __TIMESTAMP__ would be refused, and so would
#include "../../secret.h"
   but here nobody asks for them */
#define JOIN(a, b) a##b
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int JOIN(in, dex) = blockIdx.x * THREADS + threadIdx.x;
  assert(n > 0 && "neither __TIME__ nor #include </etc/passwd> // nor /* this");
  if (index < n) c[index * c_stride] = a[index] + b[index];
}
