// Correct: the conversion rounds to the even number.
extern "C" __global__ void requantised(const int* a, signed char* q, int n, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  q[i] = (signed char)max(-128, min(127, __float2int_rn((float)a[i] * scale)));
}
