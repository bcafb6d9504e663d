// mma.sync, ldmatrix, stmatrix and movmatrix on both machines, against the formulas of the PTX ISA, written
// here once more: (groupID, threadID_in_group, i) -> (row, column).
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "tests/virtual/matrix_kernels.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

struct At {
  unsigned row, column;
};
using Formula = std::function<At(unsigned group, unsigned in_group, unsigned i)>;

struct Multiplication {
  std::string spelling;
  unsigned m, n, k;
  std::string a, b, c, d;
  Formula of_a, of_b;
};

At accumulator(unsigned m, unsigned group, unsigned in_group, unsigned i) {
  return {m == 8 || i < 2 ? group : group + 8, in_group * 2 + (i & 1U)};
}

std::vector<Multiplication> multiplications() {
  std::vector<Multiplication> all;
  const auto add = [&](const std::string& shape, unsigned m, unsigned k, const std::string& a,
                       const std::string& b, const std::string& c, const std::string& d, const Formula& of_a,
                       const Formula& of_b, bool saturate = false) {
    all.push_back({"mma.sync.aligned." + shape + ".row.col" + (saturate ? ".satfinite" : "") + "." + d + "." +
                       a + "." + b + "." + c,
                   m, 8, k, a, b, c, d, of_a, of_b});
  };
  using U = unsigned;
  const Formula a_16x8_half = [](U g, U t, U i) { return At{i < 2 ? g : g + 8, t * 2 + (i & 1U)}; };
  const Formula b_8_half = [](U g, U t, U i) { return At{t * 2 + i, g}; };
  const Formula a_16x16_half = [](U g, U t, U i) {
    return At{i < 2 || (4 <= i && i < 6) ? g : g + 8, t * 2 + (i & 1U) + (i < 4 ? 0U : 8U)};
  };
  const Formula b_16_half = [](U g, U t, U i) { return At{t * 2 + (i & 1U) + (i < 2 ? 0U : 8U), g}; };
  for (const char* type : {"f16", "bf16"}) {
    for (const char* sums : {"f16", "f32"}) {
      if (std::string(type) == "bf16" && std::string(sums) == "f16") continue;
      add("m16n8k8", 16, 8, type, type, sums, sums, a_16x8_half, b_8_half);
      add("m16n8k16", 16, 16, type, type, sums, sums, a_16x16_half, b_16_half);
    }
  }
  add(
      "m16n8k4", 16, 4, "tf32", "tf32", "f32", "f32",
      [](U g, U t, U i) {
        return At{i == 0 ? g : g + 8, t};
      },
      [](U g, U t, U) {
        return At{t, g};
      });
  add(
      "m16n8k8", 16, 8, "tf32", "tf32", "f32", "f32",
      [](U g, U t, U i) {
        return At{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
      },
      [](U g, U t, U i) {
        return At{i == 0 ? t : t + 4, g};
      });
  for (const char* a : {"s8", "u8"}) {
    for (const char* b : {"s8", "u8"}) {
      for (const bool saturate : {false, true}) {
        add(
            "m8n8k16", 8, 16, a, b, "s32", "s32",
            [](U g, U t, U i) {
              return At{g, t * 4 + i};
            },
            [](U g, U t, U i) {
              return At{t * 4 + i, g};
            },
            saturate);
        add(
            "m16n8k16", 16, 16, a, b, "s32", "s32",
            [](U g, U t, U i) {
              return At{i < 4 ? g : g + 8, t * 4 + (i & 3U)};
            },
            [](U g, U t, U i) {
              return At{t * 4 + i, g};
            },
            saturate);
        add(
            "m16n8k32", 16, 32, a, b, "s32", "s32",
            [](U g, U t, U i) {
              return At{i < 4 || (8 <= i && i < 12) ? g : g + 8, t * 4 + (i & 3U) + (i < 8 ? 0U : 16U)};
            },
            [](U g, U t, U i) {
              return At{t * 4 + (i & 3U) + (i < 4 ? 0U : 16U), g};
            },
            saturate);
      }
    }
  }
  return all;
}

/// Element i of a lane's fragment whose first register is word 32 `first`.
std::uint32_t pick(const std::vector<std::uint32_t>& words, unsigned first, const std::string& type,
                   unsigned lane, unsigned i) {
  const unsigned per_word = 32 / bits_of_type(type);
  return element(type, words[32 * (first + i / per_word) + lane], i % per_word);
}

class Mma : public testing::TestWithParam<CheckLevel> {};

TEST_P(Mma, EveryInstructionIsTheSumOfItsProducts) {
  for (const Multiplication& mma : multiplications()) {
    SCOPED_TRACE(mma.spelling);
    const auto count = [](unsigned elements, const std::string& type) {
      return elements * bits_of_type(type) / 1024;
    };
    const unsigned in_a = count(mma.m * mma.k, mma.a), in_b = count(mma.k * mma.n, mma.b);
    const unsigned in_c = count(mma.m * mma.n, mma.c), in_d = count(mma.m * mma.n, mma.d);
    const std::string ptx =
        warp_kernel(load_registers('a', in_a, 0) + load_registers('b', in_b, in_a) +
                    load_registers('c', in_c, in_a + in_b) + mma.spelling + " " + registers('d', in_d) +
                    ", " + registers('a', in_a) + ", " + registers('b', in_b) + ", " + registers('c', in_c) +
                    ";\n" + store_registers('d', in_d));
    model::RandomStream random({7, 0, 0, mma.spelling});
    std::vector<std::uint32_t> in;
    const auto fill = [&](unsigned words, const std::string& type) {
      for (unsigned w = 0; w < 32 * words; ++w) {
        std::uint32_t word = 0;
        for (unsigned e = 0; e < 32 / bits_of_type(type); ++e)
          word |= random_bits(type, random) << (bits_of_type(type) * e);
        in.push_back(word);
      }
    };
    fill(in_a, mma.a);
    fill(in_b, mma.b);
    fill(in_c, mma.c);
    const auto out = run_warp(ptx, in, std::size_t{32} * in_d, GetParam());
    std::vector<double> a(mma.m * mma.k, NAN), b(mma.k * mma.n, NAN);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < mma.m * mma.k / 32; ++i) {
        const At at = mma.of_a(lane / 4, lane % 4, i);
        a[at.row * mma.k + at.column] = value_of(mma.a, pick(in, 0, mma.a, lane, i));
      }
      for (unsigned i = 0; i < mma.k * mma.n / 32; ++i) {
        const At at = mma.of_b(lane / 4, lane % 4, i);
        b[at.row * mma.n + at.column] = value_of(mma.b, pick(in, in_a, mma.b, lane, i));
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < mma.m * mma.n / 32; ++i) {
        const At at = accumulator(mma.m, lane / 4, lane % 4, i);
        Sum sum;
        for (unsigned k = 0; k < mma.k; ++k) sum.add(a[at.row * mma.k + k] * b[k * mma.n + at.column]);
        sum.add(value_of(mma.c, pick(in, in_a + in_b, mma.c, lane, i)));
        const std::uint32_t got = pick(out, 0, mma.d, lane, i);
        ASSERT_TRUE(agrees(mma.d, got, sum, mma.k, mma.spelling.find("satfinite") != std::string::npos))
            << "lane " << lane << " element " << i << ": " << value_of(mma.d, got) << " for " << sum.exact;
      }
    }
  }
}

TEST_P(Mma, SmallIntegersAreExactInEveryType) {
  // Their sums fit each format: the layout alone decides, whatever the rounding.
  const std::string ptx =
      warp_kernel(load_registers('a', 4, 0) + load_registers('b', 2, 4) +
                  "mov.b32 %c0, 0;\nmma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%d0, %d1}, " +
                  registers('a', 4) + ", " + registers('b', 2) + ", {%c0, %c0};\n" + store_registers('d', 2));
  std::vector<std::uint32_t> in(32 * 6);
  for (std::size_t w = 0; w < in.size(); ++w) {
    in[w] = sem::to_half(static_cast<float>(w % 7)).bits | sem::to_half(static_cast<float>(w % 5)).bits << 16;
  }
  const auto out = run_warp(ptx, in, 64, GetParam());
  // Row 0, column 1: A's row 0 is in lanes 0-3, B's column 1 in lanes 4-7.
  double expected = 0;
  for (unsigned t = 0; t < 4; ++t) {
    for (unsigned half = 0; half < 2; ++half) {
      expected += value_of("f16", element("f16", in[t], half)) *
                  value_of("f16", element("f16", in[32 * 4 + 4 + t], half));
      expected += value_of("f16", element("f16", in[32 * 2 + t], half)) *
                  value_of("f16", element("f16", in[32 * 5 + 4 + t], half));
    }
  }
  EXPECT_EQ(value_of("f16", out[0] >> 16), expected);
}

TEST_P(Mma, InfinityAndNan) {
  const std::string ptx =
      warp_kernel(load_registers('a', 2, 0) + load_registers('b', 1, 2) + load_registers('c', 4, 3) +
                  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " + registers('c', 4) +
                  ", {%a0, %a1}, {%b0}, " + registers('c', 4) + ";\n" + store_registers('c', 4));
  std::vector<std::uint32_t> in(32 * 7, 0);
  in[0] = 0x7c00;               // row 0: an infinity, times zero
  in[4 * 1] = 0x3c00;           // row 1: 1 ...
  in[64 + 4 * 2] = 0x7c00;      // ... times infinity in column 2
  in[96 + 4 * 3] = 0x7f800000;  // c of row 3, column 0
  const auto out = run_warp(ptx, in, 128, GetParam());
  EXPECT_EQ(out[0], 0x7fffffffU);
  EXPECT_EQ(out[4 * 1 + 1], 0x7f800000U) << "row 1, column 2";
  EXPECT_EQ(out[4 * 3], 0x7f800000U);
  EXPECT_EQ(out[4 * 5], 0U);
}

/// ldmatrix reads, stmatrix writes the halves 0, 1, 2, ... of rows in a random order.
class Rows : public testing::TestWithParam<std::tuple<CheckLevel, int, bool, bool>> {
 protected:
  int count_ = std::get<1>(GetParam());
  bool transposed_ = std::get<2>(GetParam()), generic_ = std::get<3>(GetParam());
  std::string words_ = ".sync.aligned.m8n8.x" + std::to_string(count_) + (transposed_ ? ".trans" : "") +
                       (generic_ ? ".b16 " : ".shared.b16 ");
  std::string base_ = generic_ ? "[%rd8]" : "[%r4]";
  std::string address_ =
      "ld.global.b32 %r3, [%rd4];\nadd.u32 %r4, %r2, %r3;\ncvt.u64.u32 %rd7, %r4;\n"
      "cvta.shared.u64 %rd8, %rd7;\n";
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> rows(32);
    std::iota(rows.begin(), rows.end(), 0U);
    model::RandomStream random({3, 0, 0, words_});
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    for (std::uint32_t& row : rows) row = row * 16 + 64;
    return rows;
  }
  /// What the ISA says stands in half `half` of register `matrix` of a lane: (row, column) of that matrix.
  At held(unsigned lane, unsigned half) const {
    const At at{lane / 4, lane % 4 * 2 + half};
    return transposed_ ? At{at.column, at.row} : at;
  }
};

TEST_P(Rows, AreLoaded) {
  std::string body = address_ + "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r2;\n";
  for (int k = 0; k < 6; ++k) {
    body += "ld.global.b32 %r6, [%rd4+" + std::to_string(128 * (1 + k)) + "];\nst.shared.b32 [%r5+" +
            std::to_string(128 * k) + "], %r6;\n";
  }
  body += "bar.warp.sync 0xffffffff;\nldmatrix" + words_ + registers('d', static_cast<unsigned>(count_)) +
          ", " + base_ + ";\n" + store_registers('d', static_cast<unsigned>(count_));
  std::vector<std::uint32_t> in = order();
  const auto addresses = in;
  for (std::uint32_t w = 0; w < 6 * 32; ++w) in.push_back(2 * w | (2 * w + 1) << 16);
  const auto out = run_warp(warp_kernel(body), in, std::size_t{32} * 4, std::get<0>(GetParam()));
  for (unsigned matrix = 0; matrix < static_cast<unsigned>(count_); ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned half = 0; half < 2; ++half) {
        const At at = held(lane, half);
        EXPECT_EQ(element("b16", out[32 * matrix + lane], half),
                  addresses[8 * matrix + at.row] / 2 + at.column);
      }
    }
  }
}

TEST_P(Rows, AreStored) {
  const auto count = static_cast<unsigned>(count_);
  std::string body =
      address_ + load_registers('a', count, 1) + "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r2;\n";
  for (int k = 0; k < 6; ++k) body += "st.shared.b32 [%r5+" + std::to_string(128 * k) + "], 0;\n";
  body += "bar.warp.sync 0xffffffff;\nstmatrix" + words_ + base_ + ", " + registers('a', count) +
          ";\nbar.warp.sync 0xffffffff;\n";
  for (int k = 0; k < 6; ++k) {
    body += "ld.shared.b32 %r6, [%r5+" + std::to_string(128 * k) + "];\nst.global.b32 [%rd5+" +
            std::to_string(128 * k) + "], %r6;\n";
  }
  std::vector<std::uint32_t> in = order();
  const auto addresses = in;
  for (std::uint32_t w = 0; w < 4 * 32; ++w) in.push_back((1000 + w) | (2000 + w) << 16);
  const auto out = run_warp(warp_kernel(body), in, std::size_t{32} * 6, std::get<0>(GetParam()));
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned half = 0; half < 2; ++half) {
        const At at = held(lane, half);
        const std::uint32_t place = addresses[8 * matrix + at.row] / 2 + at.column;
        EXPECT_EQ(element("b16", out[place / 2], place % 2),
                  element("b16", in[32 + 32 * matrix + lane], half));
      }
    }
  }
}

TEST_P(Mma, MovmatrixTransposes) {
  const std::string ptx =
      warp_kernel(load_registers('a', 1, 0) + "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;\n" +
                  store_registers('d', 1));
  std::vector<std::uint32_t> in;
  for (std::uint32_t w = 0; w < 32; ++w) in.push_back(2 * w | (2 * w + 1) << 16);
  const auto out = run_warp(ptx, in, 32, GetParam());
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      EXPECT_EQ(element("b16", out[row * 4 + column / 2], column % 2), column * 8 + row);
    }
  }
}

const auto levels = testing::Values(CheckLevel::none, CheckLevel::filtered, CheckLevel::exact);
INSTANTIATE_TEST_SUITE_P(Machines, Mma, levels);
INSTANTIATE_TEST_SUITE_P(Machines, Rows,
                         testing::Combine(levels, testing::Values(1, 2, 4), testing::Bool(),
                                          testing::Bool()));

}  // namespace
}  // namespace evo::tests
