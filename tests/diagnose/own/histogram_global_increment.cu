extern "C" __global__ void histogram(const int* data, unsigned int* hist, int n, int nbins) {
  // no privatisation: straight into global memory
  unsigned int start = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
  for (unsigned int k = 0; k < ITEMS; k++) {
    unsigned int idx = start + k * blockDim.x;
    if (idx < n) {
      int bin = data[idx];
      hist[bin] = hist[bin] + 1;
    }
  }
}
