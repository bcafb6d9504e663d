// PTX kernels around one matrix instruction, and what tests compare their results with.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "model/random.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {

namespace sem = evaluators::virtual_device::semantics;

/// A kernel `k(in, out)` of one warp; %rd1 and %rd2 are in and out plus 4 lanes, %r1 the lane. `buffer` is 9
/// KiB of shared memory, at the address 0.
inline std::string warp_kernel(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<16>;
.reg .b32 %a<16>; .reg .b32 %b<16>; .reg .b32 %c<16>; .reg .b32 %d<16>;
.shared .align 128 .b8 buffer[9216];
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
mov.u32 %r2, buffer;
)" + body +
         "\nret;\n}\n";
}

/// {%a0, %a1, ...}
inline std::string registers(char name, unsigned count) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k)
    text += (k == 0 ? "%" : ", %") + std::string(1, name) + std::to_string(k);
  return text + "}";
}
/// Loads (or stores) `count` registers; register k of lane l is word 32 (first + k) + l.
inline std::string load_registers(char name, unsigned count, unsigned first) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) {
    text += "ld.global.b32 %" + std::string(1, name) + std::to_string(k) + ", [%rd4+" +
            std::to_string(128 * (first + k)) + "];\n";
  }
  return text;
}
inline std::string store_registers(char name, unsigned count, unsigned first = 0) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) {
    text += "st.global.b32 [%rd5+" + std::to_string(128 * (first + k)) + "], %" + std::string(1, name) +
            std::to_string(k) + ";\n";
  }
  return text;
}

/// Runs it with 32 threads; `words` of output.
inline std::vector<std::uint32_t> run_warp(const std::string& ptx, const std::vector<std::uint32_t>& in,
                                           std::size_t words, evaluators::devices::CheckLevel checks) {
  Rig rig(ptx, "k");
  rig.options.checks = checks;
  const auto out = rig.buffer("out", std::vector<std::uint32_t>(words));
  const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(out)});
  if (!outcome)
    throw std::runtime_error(outcome.error().reason + ": " + outcome.error().evidence.front().message);
  return rig.contents<std::uint32_t>(out, words);
}

/// Element types of matrices, by their PTX names.
inline unsigned bits_of_type(const std::string& type) {
  return type == "s8" || type == "u8" ? 8 : type == "f16" || type == "bf16" || type == "b16" ? 16 : 32;
}
inline double value_of(const std::string& type, std::uint32_t bits) {
  if (type == "f16") return sem::to_f32(sem::Half{bits & 0xffffU});
  if (type == "bf16") return sem::f32_of(bits << 16);
  if (type == "tf32") return sem::f32_of(bits & 0xffffe000U);
  if (type == "f32") return sem::f32_of(bits);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "u8") return static_cast<std::uint8_t>(bits);
  return static_cast<std::int32_t>(bits);
}
/// Ordinary values of a type; integers of any size.
inline std::uint32_t random_bits(const std::string& type, model::RandomStream& random) {
  const auto value = static_cast<float>(random.normal());
  if (type == "f16") return sem::to_half(value).bits;
  if (type == "bf16") return sem::to_bfloat(value).bits;
  if (type == "f32" || type == "tf32") return sem::bits_of(value);
  return static_cast<std::uint32_t>(random.next_u64()) & (bits_of_type(type) == 8 ? 0xffU : 0xffffffffU);
}
/// Element `index` (of the low bits first) of a register.
inline std::uint32_t element(const std::string& type, std::uint32_t word, unsigned index) {
  const unsigned bits = bits_of_type(type);
  return bits == 32 ? word : word >> (bits * index) & ((1U << bits) - 1);
}

/// One element of D = A B + C: `exact` is the sum, `largest` the largest magnitude of an addend or partial
/// sum.
struct Sum {
  double exact = 0, largest = 0;
  void add(double term) {
    exact += term;
    largest = std::max({largest, std::fabs(term), std::fabs(exact)});
  }
};

/// Is `bits` a correct D for this sum of k products and C? Integers wrap or saturate.
inline bool agrees(const std::string& type, std::uint32_t bits, const Sum& sum, unsigned k, bool saturate) {
  const double got = value_of(type, bits);
  if (type == "s32") {
    constexpr double low = std::numeric_limits<std::int32_t>::min(),
                     high = std::numeric_limits<std::int32_t>::max();
    if (saturate) return got == std::clamp(sum.exact, low, high);
    return got == static_cast<std::int32_t>(static_cast<std::int64_t>(sum.exact));
  }
  const double bound =
      (k + 4) * 0x1p-23 * sum.largest + (type == "f16" ? 0x1p-11 * std::fabs(sum.exact) + 0x1p-24 : 0);
  return std::fabs(got - sum.exact) <= bound;
}

}  // namespace evo::tests
