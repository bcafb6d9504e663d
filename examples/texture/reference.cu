// A thread for each pixel. The reference gets the texture as the plain array that it is.
__global__ void reference(const EVO_REAL* image, EVO_REAL* out, int image_h, int image_w, int h, int w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= h * w) return;
  const EVO_REAL x = (i % w + EVO_REAL(0.5)) * image_w / w - EVO_REAL(0.5);
  const EVO_REAL y = (i / w + EVO_REAL(0.5)) * image_h / h - EVO_REAL(0.5);
  const int left = floor(x), top = floor(y);
  EVO_REAL sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int column = left + k % 2, row = top + k / 2;
    const EVO_REAL weight = (1 - abs(x - column)) * (1 - abs(y - row));
    sum += weight * image[min(max(row, 0), image_h - 1) * image_w + min(max(column, 0), image_w - 1)];
  }
  out[i] = sum;
}
