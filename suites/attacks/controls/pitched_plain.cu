// Each pitch is used for what it is of
extern "C" __global__ void pitched_add(const float* a, const float* b, float* c, int rows, int columns, long long a_pitch,
                                       long long c_pitch) {
  const int j = blockIdx.x * THREADS + threadIdx.x;
  const int i = blockIdx.y;
  if (i < rows && j < columns) c[i * c_pitch + j] = a[i * a_pitch + j] + b[i * a_pitch + j];
}
