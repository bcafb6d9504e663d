// wmma on both machines: every shape, type and layout, from global, shared and generic memory, is a matrix
// product; and the fragments have the layout that hardware gives them.
#include <gtest/gtest.h>

#include "tests/virtual/matrix_kernels.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

struct Product {
  std::string shape, a, c, d;
  unsigned m, n, k;
};
const std::vector<Product> products = {
    {"m16n16k16", "f16", "f32", "f32", 16, 16, 16},  {"m16n16k16", "f16", "f16", "f16", 16, 16, 16},
    {"m16n16k16", "f16", "f16", "f32", 16, 16, 16},  {"m16n16k16", "f16", "f32", "f16", 16, 16, 16},
    {"m32n8k16", "f16", "f32", "f32", 32, 8, 16},    {"m32n8k16", "f16", "f16", "f16", 32, 8, 16},
    {"m8n32k16", "f16", "f32", "f32", 8, 32, 16},    {"m8n32k16", "f16", "f16", "f16", 8, 32, 16},
    {"m16n16k16", "bf16", "f32", "f32", 16, 16, 16}, {"m32n8k16", "bf16", "f32", "f32", 32, 8, 16},
    {"m8n32k16", "bf16", "f32", "f32", 8, 32, 16},   {"m16n16k8", "tf32", "f32", "f32", 16, 16, 8},
    {"m16n16k16", "s8", "s32", "s32", 16, 16, 16},   {"m32n8k16", "u8", "s32", "s32", 32, 8, 16},
    {"m8n32k16", "s8", "s32", "s32", 8, 32, 16},
};

/// Registers of a fragment (PTX ISA, "Matrix Fragments for WMMA").
unsigned fragment(const Product& p, char role, const std::string& type) {
  if (type == "f16" && (role == 'a' || role == 'b')) return 8;
  const unsigned elements = role == 'a' ? p.m * p.k : role == 'b' ? p.k * p.n : p.m * p.n;
  return elements * bits_of_type(type) / 1024;
}

/// A matrix in a buffer of bytes: elements `stride` apart from one run to the next.
struct Stored {
  unsigned rows, columns, stride;
  bool column_major;
  std::string type;
  std::uint64_t base;
  [[nodiscard]] std::size_t byte(unsigned row, unsigned column) const {
    const unsigned run = column_major ? column : row, along = column_major ? row : column;
    return base + (std::size_t{run} * stride + along) * (bits_of_type(type) / 8);
  }
  [[nodiscard]] std::uint32_t get(const std::vector<std::uint8_t>& bytes, unsigned row,
                                  unsigned column) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &bytes[byte(row, column)], bits_of_type(type) / 8);
    return value;
  }
  void put(std::vector<std::uint8_t>& bytes, unsigned row, unsigned column, std::uint32_t value) const {
    std::memcpy(&bytes[byte(row, column)], &value, bits_of_type(type) / 8);
  }
};

constexpr unsigned area = 3072;  ///< bytes for each matrix

Stored stored(unsigned rows, unsigned columns, bool column_major, const std::string& type, unsigned which) {
  const unsigned length = column_major ? rows : columns;
  const unsigned pad = 16 / (bits_of_type(type) / 8);
  return {rows, columns, length + (which == 1 ? 0 : pad), column_major, type, std::uint64_t{which} * area};
}

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

class Wmma : public testing::TestWithParam<std::tuple<CheckLevel, std::string>> {};

TEST_P(Wmma, MultipliesStoredMatrices) {
  const auto checks = std::get<0>(GetParam());
  const auto space = std::get<1>(GetParam());
  for (const Product& p : products) {
    for (unsigned layouts = 0; layouts < 16; layouts += space == "global" ? 1 : 5) {
      const auto column = [&](unsigned bit) { return (layouts >> bit & 1U) != 0; };
      const auto name = [&](unsigned bit) { return std::string(column(bit) ? ".col" : ".row"); };
      const Stored a = stored(p.m, p.k, column(0), p.a, 0), b = stored(p.k, p.n, column(1), p.a, 1);
      const Stored c = stored(p.m, p.n, column(2), p.c, 2), d = stored(p.m, p.n, column(3), p.d, 0);
      const std::string shape = "." + p.shape;
      SCOPED_TRACE(p.shape + " " + p.a + " " + p.c + " " + p.d + " layouts " + std::to_string(layouts));
      const std::string suffix = space == "generic" ? "" : "." + space;
      const auto address = [&](const Stored& matrix) {
        if (space == "shared") return "[%r2+" + std::to_string(matrix.base) + "]";
        return "[%rd" + std::string(space == "global" ? "1" : "8") + "+" + std::to_string(matrix.base) + "]";
      };
      // The default stride for B: it has no gaps.
      std::string body = "cvt.u64.u32 %rd7, %r2;\ncvta.shared.u64 %rd8, %rd7;\n";
      if (space != "global") {
        body +=
            "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r2;\nmov.u32 %r7, 0;\nAGAIN:\n"
            "ld.global.b32 %r6, [%rd4];\nst.shared.b32 [%r5], %r6;\nadd.s64 %rd4, %rd4, 128;\n"
            "add.u32 %r5, %r5, 128;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, " +
            std::to_string(3 * area / 128) + ";\n@%p1 bra AGAIN;\nbar.sync 0;\n";
      }
      body += "mov.u32 %r10, " + std::to_string(a.stride) + ";\n";
      body += "wmma.load.a.sync.aligned" + name(0) + shape + suffix + "." + p.a + " " +
              registers('a', fragment(p, 'a', p.a)) + ", " + address(a) + ", %r10;\n";
      body += "wmma.load.b.sync.aligned" + name(1) + shape + suffix + "." + p.a + " " +
              registers('b', fragment(p, 'b', p.a)) + ", " + address(b) + ";\n";
      body += "wmma.load.c.sync.aligned" + name(2) + shape + suffix + "." + p.c + " " +
              registers('c', fragment(p, 'c', p.c)) + ", " + address(c) + ", " + std::to_string(c.stride) +
              ";\n";
      const std::string types = p.a == "f16" ? p.d + "." + p.c : p.d + "." + p.a + "." + p.a + "." + p.c;
      body += "wmma.mma.sync.aligned" + name(0) + name(1) + shape + "." + types + " " +
              registers('d', fragment(p, 'd', p.d)) + ", " + registers('a', fragment(p, 'a', p.a)) + ", " +
              registers('b', fragment(p, 'b', p.a)) + ", " + registers('c', fragment(p, 'c', p.c)) + ";\n";
      body += "wmma.store.d.sync.aligned" + name(3) + shape + (space == "generic" ? "" : ".global") + "." +
              p.d + " [%rd2], " + registers('d', fragment(p, 'd', p.d)) + ", " + std::to_string(d.stride) +
              ";\n";
      model::RandomStream random({layouts, 0, 0, p.shape + p.a + p.c + p.d});
      std::vector<std::uint8_t> in(3 * area);
      for (const Stored* matrix : {&a, &b, &c}) {
        for (unsigned row = 0; row < matrix->rows; ++row) {
          for (unsigned column_at = 0; column_at < matrix->columns; ++column_at) {
            matrix->put(in, row, column_at, random_bits(matrix->type, random));
          }
        }
      }
      const auto words = run_warp(warp_kernel(body), words_of(in), area / 4, checks);
      std::vector<std::uint8_t> out(area);
      std::memcpy(out.data(), words.data(), area);
      for (unsigned row = 0; row < p.m; ++row) {
        for (unsigned at = 0; at < p.n; ++at) {
          Sum sum;
          for (unsigned k = 0; k < p.k; ++k)
            sum.add(value_of(p.a, a.get(in, row, k)) * value_of(p.a, b.get(in, k, at)));
          sum.add(value_of(p.c, c.get(in, row, at)));
          ASSERT_TRUE(agrees(p.d, d.get(out, row, at), sum, p.k, false))
              << row << ", " << at << ": " << value_of(p.d, d.get(out, row, at)) << " for " << sum.exact;
        }
      }
      // Gaps between rows stay as they were.
      const unsigned length = d.column_major ? p.m : p.n;
      for (unsigned gap = 0; gap < (d.stride - length) * bits_of_type(p.d) / 8; ++gap) {
        EXPECT_EQ(out[length * bits_of_type(p.d) / 8 + gap], 0) << "byte " << gap << " behind the first run";
      }
    }
  }
}

TEST_P(Wmma, FragmentsAreThoseOfTheHardware) {
  // m16n16k16: element x[i] of a lane, as measured on sm_80 by the authors of wmma_extension; x[i + 8] of the
  // factors is x[i] again.
  const auto checks = std::get<0>(GetParam());
  const auto space = std::get<1>(GetParam());
  if (space != "global") return;
  for (const std::string role : {"a", "b", "c"}) {
    const bool sums = role == "c";
    const std::string type = sums ? "f32" : "f16";
    const std::string ptx =
        warp_kernel("wmma.load." + role + ".sync.aligned.row.m16n16k16.global." + type + " " +
                    registers('a', 8) + ", [%rd1], 16;\n" + store_registers('a', 8));
    std::vector<std::uint32_t> in;
    for (std::uint32_t w = 0; w < (sums ? 256U : 128U); ++w)
      in.push_back(sums ? w : 2 * w | (2 * w + 1) << 16);
    const auto out = run_warp(ptx, in, 256, checks);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned x = 0; x < (sums ? 8U : 16U); ++x) {
        const unsigned bit0 = x & 1U, bit1 = x >> 1 & 1U, bit2 = x >> 2 & 1U;
        const unsigned g = lane / 4, t = lane % 4;
        unsigned expected = (g + 8 * bit1) * 16 + 2 * t + bit0 + 8 * bit2;
        if (role == "b") expected = (2 * t + bit0 + 8 * bit1) * 16 + g + 8 * bit2;
        EXPECT_EQ(sums ? out[32 * x + lane] : element("f16", out[32 * (x / 2) + lane], x % 2), expected)
            << role << " lane " << lane << " x " << x;
      }
    }
  }
}

TEST_P(Wmma, LoadAndStoreOfOneKindAreInverse) {
  const auto checks = std::get<0>(GetParam());
  const auto space = std::get<1>(GetParam());
  if (space != "global") return;
  for (const std::string shape : {"m16n16k16", "m32n8k16", "m8n32k16"}) {
    for (const std::string type : {"f16", "f32", "s32"}) {
      const unsigned count = type == "f16" ? 4 : 8;
      const std::string run = shape == "m32n8k16" ? "8" : shape == "m8n32k16" ? "32" : "16";
      const std::string ptx =
          warp_kernel("wmma.load.c.sync.aligned.row." + shape + ".global." + type + " " +
                      registers('c', count) + ", [%rd1], " + run + ";\nwmma.store.d.sync.aligned.row." +
                      shape + ".global." + type + " [%rd2], " + registers('c', count) + ";\n");
      std::vector<std::uint32_t> in(32 * count);
      for (std::uint32_t w = 0; w < in.size(); ++w) in[w] = 0x9e3779b9U * (w + 1);
      EXPECT_EQ(run_warp(ptx, in, in.size(), checks), in) << shape << " " << type;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Wmma,
                         testing::Combine(testing::Values(CheckLevel::none, CheckLevel::filtered,
                                                          CheckLevel::exact),
                                          testing::Values("global", "shared", "generic")));

}  // namespace
}  // namespace evo::tests
