struct Image {
  const float* source;
  float* result;
  int height, width;
  double gain;
};

__global__ void blur(Image image, float4 weights) {
  const int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y;
  if (x >= image.width || y >= image.height) return;
  const float* row = image.source + static_cast<long long>(y) * image.width;
  const float left = x > 0 ? row[x - 1] : 0, right = x + 1 < image.width ? row[x + 1] : 0;
  const float sum = weights.x * left + weights.y * row[x] + weights.z * right + weights.w;
  image.result[static_cast<long long>(y) * image.width + x] = static_cast<float>(image.gain) * sum;
}
