// C-11: asks for the clock behind what looks like the beginning of a string, in a group that is skipped
#if 0
R"(
#endif
constexpr int now = __TIME__[7];
// )"
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i] + 0 * now;
}
