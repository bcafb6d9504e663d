extern "C" __global__ void reference(double* out, const double* in, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  double sum = in[i];
  if (x > 0) sum += in[i - 1];
  if (x < nx - 1) sum += in[i + 1];
  if (y > 0) sum += in[i - nx];
  if (y < ny - 1) sum += in[i + nx];
  if (z > 0) sum += in[i - nx * ny];
  if (z < nz - 1) sum += in[i + nx * ny];
  out[i] = sum;
}
