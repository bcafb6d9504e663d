// An image at another size: the texture unit mixes the four nearest pixels, and repeats those of the edge.
__global__ void resize(cudaTextureObject_t image, float* out, int image_h, int image_w, int h, int w) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x, top = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  if (x >= w) return;
  const float x_scale = float(image_w) / w, y_scale = float(image_h) / h;
  for (int y = top; y < top + ROWS && y < h; ++y)
    out[y * w + x] = tex2D<float>(image, (x + 0.5f) * x_scale, (y + 0.5f) * y_scale);
}
