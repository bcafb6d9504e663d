// A thread for each element of the output.
__global__ void reference(EVO_REAL* output, const EVO_REAL* input, const EVO_REAL* filter, int h, int w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= h * w) return;
  EVO_REAL sum = 0;
  for (int k = 0; k < 25; ++k) sum += input[(i / w + k / 5) * (w + 4) + i % w + k % 5] * filter[k];
  output[i] = sum;
}
