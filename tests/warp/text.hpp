// PTX text for small kernels.
#pragma once

#include <string>

namespace evo::tests::warp {

/// A kernel `k` with pointers `in` and `out` (in %rd1, %rd2, global), the thread in %r1, its byte offsets 4 t
/// in %rd3 and 8 t in %rd4, and registers %r, %rd, %f, %d, %h (16 bits), %p.
inline std::string kernel(const std::string& body, const std::string& declarations = "") {
  return R"(
.version 8.0
.target sm_80
.address_size 64
)" + declarations +
         R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<40>;
  .reg .b16 %h<40>;
  .reg .b32 %r<40>;
  .reg .f32 %f<40>;
  .reg .b64 %rd<40>;
  .reg .f64 %d<40>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  mul.wide.u32 %rd4, %r1, 8;
  add.s64 %rd5, %rd1, %rd3;
  add.s64 %rd6, %rd2, %rd3;
)" + body +
         R"(
  ret;
}
)";
}

}  // namespace evo::tests::warp
