// bodies: x y z mass. The mass is only needed of the other body.
struct Vec3 {
  float x, y, z;
};

__device__ Vec3 place_of(const float4* bodies, int i) {
  const Vec3* places = reinterpret_cast<const Vec3*>(bodies);
  return places[i];
}

extern "C" __global__ void attract(const float4* bodies, float* acceleration, int n, float softening) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Vec3 p = place_of(bodies, i);
  float ax = 0.f, ay = 0.f, az = 0.f;
#pragma unroll UNROLL
  for (int j = 0; j < n; j++) {
    const float4 b = bodies[j];
    const float dx = b.x - p.x;
    const float dy = b.y - p.y;
    const float dz = b.z - p.z;
    const float w = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening))));
    const float f = b.w * w * w * w;
    ax = fmaf(f, dx, ax);
    ay = fmaf(f, dy, ay);
    az = fmaf(f, dz, az);
  }
  float* out = acceleration + 3 * i;
  out[0] = ax;
  out[1] = ay;
  out[2] = az;
}
