__global__ void reference(EVO_REAL* out, const EVO_REAL* in, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  EVO_REAL sum = in[i];
  if (x > 0) sum += in[i - 1];
  if (x < nx - 1) sum += in[i + 1];
  if (y > 0) sum += in[i - nx];
  if (y < ny - 1) sum += in[i + nx];
  if (z > 0) sum += in[i - nx * ny];
  if (z < nz - 1) sum += in[i + nx * ny];
  out[i] = sum;
}
