// I-02: reckons the offset of an output's row in 32 bits, though the pitch has 64
extern "C" __global__ void pitched_add(const float* a, const float* b, float* c, int rows, int columns,
                                       long long a_pitch, long long c_pitch) {
  const int j = blockIdx.x * THREADS + threadIdx.x;
  const int i = blockIdx.y;
  const int row = i * (int)c_pitch;
  if (i < rows && j < columns) c[row + j] = a[i * a_pitch + j] + b[i * a_pitch + j];
}
