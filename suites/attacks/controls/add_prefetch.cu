// control: right, a value fetched for the next turn, which the last turn does not have, and halves of a pair that are
// only set where there is an element
#include <cuda_fp16.h>

extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float next;
  float now = a[i];
  float sum = 0;
  const int turns = 2 * c_stride;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn + 1 < turns) next = turn % 2 == 0 ? b[i] : a[i];
    if (turn < 2) sum += now;
    now = next;
  }
  // Twice as many neighbours as there are: 2 or 4.
  __half2 count;
  count.x = __float2half(1.0f);
  const bool has_next = i + 1 < n;
  if (has_next) count.y = __float2half(1.0f);
  count = __hadd2(count, count);
  float neighbours = __low2float(count);
  if (has_next) neighbours += __high2float(count);
  if (neighbours >= 2.0f) c[(long long)i * c_stride] = sum;
}
