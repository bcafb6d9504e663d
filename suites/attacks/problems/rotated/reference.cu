__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int rows, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * half) return;
  const int r = i / half, j = i % half;
  const EVO_REAL angle = r * pow(EVO_REAL(10000), -EVO_REAL(j) / half);
  const EVO_REAL c = cos(angle), s = sin(angle);
  const EVO_REAL u = x[r * 2 * half + j], v = x[r * 2 * half + half + j];
  y[r * 2 * half + j] = u * c - v * s;
  y[r * 2 * half + half + j] = u * s + v * c;
}
