// PTX kernels around wgmma.mma_async, and what tests compare their results with.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/virtual/matrix_kernels.hpp"

namespace evo::tests {

/// One multiplication of 64 x n with 32 bytes of k.
struct Wgmma {
  unsigned n = 64;
  std::string d = "f32", a = "f16", b = "f16";
  unsigned swizzle_a = 128, swizzle_b = 128;  ///< bytes; 0: none
  bool transposed_a = false, transposed_b = false;
  bool registers = false;  ///< A is there
  bool negated_a = false, negated_b = false;
  bool adds = true;
  unsigned start_a = 0, start_b = 0;  ///< bytes of k, or of rows, from where each matrix begins
  /// Rows of 128 bytes from a multiple of 1024 to where the pattern of B's swizzle starts: its base offset.
  unsigned pattern_b = 0;

  [[nodiscard]] unsigned k() const { return 256 / bits_of_element(a); }
  [[nodiscard]] unsigned sums() const { return d == "f16" ? n / 4 : n / 2; }
  [[nodiscard]] static unsigned bits_of_element(const std::string& type) {
    return type == "e4m3" || type == "e5m2" ? 8 : bits_of_type(type);
  }
  [[nodiscard]] bool has_transposition() const { return a == "f16" || a == "bf16"; }
};

inline constexpr unsigned wgmma_image_bytes = 43008, wgmma_b_at = 9216;

/// The bytes between neighbours of eight rows, and of 16 bytes along the contiguous direction, in these
/// tests: unlike each other, and unlike what a dense matrix has.
inline unsigned leading_bytes(unsigned swizzle, bool transposed) {
  return swizzle == 0 ? (transposed ? 4352U : 4224U) : transposed ? 8 * swizzle * 2 : 16;
}
inline unsigned stride_bytes(unsigned swizzle, bool) {
  return swizzle == 0 ? 128 : 8 * swizzle;
}

inline std::uint64_t descriptor(unsigned address, unsigned swizzle, unsigned leading, unsigned stride) {
  const std::uint64_t kind = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  return kind << 62 | std::uint64_t{stride >> 4} << 32 | std::uint64_t{leading >> 4} << 16 | address >> 4;
}

/// PTX ISA, "Strides" and "Canonical layouts", written here once more: the byte of shared memory where byte
/// `byte` of element (row, k) stands.
inline unsigned canonical_place(unsigned base, unsigned row, unsigned k, unsigned byte, unsigned bits,
                                unsigned swizzle, bool transposed, unsigned pattern = 0) {
  const unsigned leading = leading_bytes(swizzle, transposed), stride = stride_bytes(swizzle, transposed);
  const unsigned bytes = bits / 8;
  unsigned at = base;
  if (!transposed) {
    const unsigned along = k * bytes + byte;
    if (swizzle == 0) {
      at += row / 8 * stride + row % 8 * 16 + along / 16 * leading + along % 16;
    } else {
      at += row / 8 * stride + row % 8 * swizzle + along;
    }
  } else if (swizzle == 0) {
    at += row % 8 * bytes + row / 8 * stride + k % 8 * 16 + k / 8 * leading + byte;
  } else {
    const unsigned run = swizzle / bytes;
    at += row % run * bytes + row / run * leading + k % 8 * swizzle + k / 8 * stride + byte;
  }
  // Swizzle<1..3, 4, 3> of the address, from where the pattern starts.
  const unsigned mask = swizzle == 0 ? 0 : swizzle / 16 - 1;
  return at ^ ((((at >> 7) - pattern) & mask) << 4);
}

inline std::string list_of(char name, unsigned count) {
  return registers(name, count);
}

/// The instruction; descriptors are %rd10 and %rd11, scale-d is %p1.
inline std::string wgmma_text(const Wgmma& w, char sums = 'd') {
  const std::string sign_a = w.negated_a ? "-1" : "1", sign_b = w.negated_b ? "-1" : "1";
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(w.n) + "k" + std::to_string(w.k()) +
                     "." + w.d + "." + w.a + "." + w.b + " " + list_of(sums, w.sums()) + ", " +
                     (w.registers ? list_of('a', 4) : "%rd10") + ", %rd11, %p1";
  if (w.d != "s32") text += ", " + sign_a + ", " + sign_b;
  if (w.has_transposition()) {
    if (!w.registers) text += w.transposed_a ? ", 1" : ", 0";
    text += w.transposed_b ? ", 1" : ", 0";
  }
  return text + ";\n";
}

/// A kernel `k(in, out, a, b)` of warpgroups: copies `in` to the shared memory at 0 and then runs `body`.
/// %rd4 is `in` behind the image plus 4 threads, %rd5 the same of out; %r1 the thread. %rd10 and %rd11 are a
/// and b.
inline std::string warpgroup_kernel(const std::string& body, const std::string& entry = "k") {
  return ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry " + entry +
         R"((.param .u64 in, .param .u64 out, .param .u64 a, .param .u64 b)
{
.reg .pred %p<8>; .reg .b32 %r<64>; .reg .b64 %rd<16>;
.reg .b32 %a<16>; .reg .b32 %d<160>; .reg .b32 %e<160>;
.shared .align 1024 .b8 buffer[)" +
         std::to_string(wgmma_image_bytes) + R"(];
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
ld.param.u64 %rd10, [a];
ld.param.u64 %rd11, [b];
mov.u32 %r6, buffer;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
mov.u32 %r2, %r1;
COPY:
mul.wide.u32 %rd6, %r2, 4;
add.s64 %rd7, %rd1, %rd6;
ld.global.b32 %r3, [%rd7];
shl.b32 %r4, %r2, 2;
st.shared.b32 [%r4], %r3;
mov.u32 %r5, %ntid.x;
add.u32 %r2, %r2, %r5;
setp.lt.u32 %p2, %r2, )" +
         std::to_string(wgmma_image_bytes / 4) + R"(;
@%p2 bra COPY;
add.s64 %rd4, %rd4, )" +
         std::to_string(wgmma_image_bytes) + ";\n" + body + "\nret;\n}\n";
}

/// Loads or stores registers of 128 threads: register k of thread t is word 128 (first + k) + t.
inline std::string load_words(char name, unsigned count, unsigned first) {
  std::string text;
  for (unsigned k = 0; k < count; ++k)
    text += "ld.global.b32 %" + std::string(1, name) + std::to_string(k) + ", [%rd4+" +
            std::to_string(512 * (first + k)) + "];\n";
  return text;
}
inline std::string store_words(char name, unsigned count, unsigned first = 0) {
  std::string text;
  for (unsigned k = 0; k < count; ++k)
    text += "st.global.b32 [%rd5+" + std::to_string(512 * (first + k)) + "], %" + std::string(1, name) +
            std::to_string(k) + ";\n";
  return text;
}

inline constexpr const char* wgmma_arrive = "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n";
inline constexpr const char* wgmma_finish =
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

/// The whole of one multiplication: sums from `in`, and A behind them if it is in registers.
inline std::string wgmma_body(const Wgmma& w) {
  return load_words('d', w.sums(), 0) + (w.registers ? load_words('a', 4, w.sums()) : "") +
         "setp.eq.u32 %p1, " + (w.adds ? "0" : "1") + ", 0;\n" + wgmma_arrive + wgmma_text(w) + wgmma_finish +
         store_words('d', w.sums());
}

/// Value of an element, 8-bit floats too.
inline double wgmma_value(const std::string& type, std::uint32_t bits) {
  if (type != "e4m3" && type != "e5m2") return value_of(type, bits);
  const int mantissa_bits = type == "e4m3" ? 3 : 2;
  const int bias = type == "e4m3" ? 7 : 15;
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1U << (7 - mantissa_bits)) - 1));
  const double mantissa = (bits & ((1U << mantissa_bits) - 1)) + (exponent == 0 ? 0 : 1 << mantissa_bits);
  const double value = std::ldexp(mantissa, std::max(exponent, 1) - bias - mantissa_bits);
  return (bits & 0x80U) != 0 ? -value : value;
}

/// Numbers, whatever the type of their elements.
inline std::vector<std::uint32_t> wgmma_words(const std::string& type, std::size_t count,
                                              model::RandomStream& random) {
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) {
    if (type == "e4m3" || type == "e5m2") {
      // Up to 1 or so: no infinities.
      for (unsigned byte = 0; byte < 4; ++byte)
        word |= static_cast<std::uint32_t>((random.next_u64() & 0x80U) | random.next_u64() % 0x3cU)
                << 8 * byte;
    } else if (bits_of_type(type) == 16) {
      word = random_bits(type, random) | random_bits(type, random) << 16;
    } else if (bits_of_type(type) == 8) {
      word = static_cast<std::uint32_t>(random.next_u64());
    } else {
      word = random_bits(type, random);
    }
  }
  return words;
}

}  // namespace evo::tests
