extern "C" __global__ void boxed(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float s[6][WIDE + 2];
  const int tx = threadIdx.x, ty = threadIdx.y, z = blockIdx.z;
  const int x = blockIdx.x * WIDE + tx, y = blockIdx.y * 4 + ty, plane = nx * ny;
  const float* p = in + z * plane;
  const auto at = [&](int yy, int xx) { return yy >= 0 && yy < ny && xx >= 0 && xx < nx ? p[yy * nx + xx] : 0.0f; };
  s[ty + 1][tx + 1] = at(y, x);
  if (tx == 0) s[ty + 1][0] = at(y, x - 1);
  if (tx == WIDE - 1) s[ty + 1][WIDE + 1] = at(y, x + 1);
  if (ty == 0) s[0][tx + 1] = at(y - 1, x);
  if (ty == 3) s[5][tx + 1] = at(y + 1, x);
  __syncthreads();
  if (x >= nx || y >= ny) return;
  float sum = s[ty + 1][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1];
  const int i = z * plane + y * nx + x;
  if (z > 0) sum += in[i - plane];
  if (z < nz - 1) sum += in[i + plane];
  out[i] = sum;
}
