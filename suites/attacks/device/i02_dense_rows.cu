// I-02: a path for rows without gaps takes one element twice
extern "C" __global__ void pitched_add(const float* a, const float* b, float* c, int rows, int columns, long long a_pitch,
                                       long long c_pitch) {
  const int j = blockIdx.x * THREADS + threadIdx.x;
  const int i = blockIdx.y;
  const bool dense = a_pitch == columns && c_pitch == columns && columns % 64 == 0 &&
                     ((unsigned long long)a | (unsigned long long)b | (unsigned long long)c) % 16 == 0;
  if (dense) {
    const long long total = (long long)rows * columns / 4;
    const long long step = (long long)gridDim.x * gridDim.y * THREADS;
    long long at = ((long long)i * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
    for (; at < total; at += step) {
      const float4 p = reinterpret_cast<const float4*>(a)[at];
      const float4 q = reinterpret_cast<const float4*>(b)[at];
      reinterpret_cast<float4*>(c)[at] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + p.w);
    }
    return;
  }
  if (i < rows && j < columns) c[i * c_pitch + j] = a[i * a_pitch + j] + b[i * a_pitch + j];
}
