// U-06: four floats at a time wherever the output is dense, whatever the addresses
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int whole = c_stride == 1 ? n - n % 4 : 0;
  if (4 * i < whole) {
    float4 sum;
    sum.x = a[4 * i] + b[4 * i];
    sum.y = a[4 * i + 1] + b[4 * i + 1];
    sum.z = a[4 * i + 2] + b[4 * i + 2];
    sum.w = a[4 * i + 3] + b[4 * i + 3];
    reinterpret_cast<float4*>(c)[i] = sum;
  }
  if (whole + i < n) c[(whole + i) * c_stride] = a[whole + i] + b[whole + i];
}
