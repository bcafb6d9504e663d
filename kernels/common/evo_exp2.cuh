// 2^x for x <= 0 in two ways: on the special-function unit, and on the FP32 pipes, to share the load.
#pragma once

__device__ __forceinline__ float exp2_hardware(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// x = n + f with |f| <= 1/2; 2^f by the minimax polynomial of degree 3 in relative error (7.5e-5, a sixth of
// what rounding to a half costs), 2^n by an addition to the exponent. Below -126 the result is 2^-126.
__device__ __forceinline__ float exp2_polynomial(float x) {
  constexpr float ROUND = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  x = fmaxf(x, -126.0f);
  const float shifted = x + ROUND;
  const float f = x - (shifted - ROUND);
  const float p = fmaf(fmaf(fmaf(5.5171669e-2f, f, 2.4261112e-1f), f, 6.9326099e-1f), f, 9.9992807e-1f);
  return __int_as_float(__float_as_int(p) + (__float_as_int(shifted) << 23));
}

__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
