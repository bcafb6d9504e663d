// wgmma.mma_async on both machines, against a plain product: every type, both directions of both operands,
// every swizzle, A in registers; and that whoever does not take part as PTX asks is told.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/virtual/wgmma_kernels.hpp"

namespace evo::tests::wgmma_cases {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;

std::string name_of(const Wgmma& w) {
  return fmt::format("m64n{}k{}.{}.{}.{}{} swizzle {} {} transposed {} {} negated {} {} adds {}", w.n, w.k(),
                     w.d, w.a, w.b, w.registers ? " registers" : "", w.swizzle_a, w.swizzle_b, w.transposed_a,
                     w.transposed_b, w.negated_a, w.negated_b, w.adds);
}

std::uint32_t bits_at(const std::vector<std::uint32_t>& words, unsigned byte, unsigned bits) {
  const std::uint32_t shifted = words[byte / 4] >> (8 * (byte % 4));
  return bits == 32 ? shifted : shifted & ((1U << bits) - 1);
}

evaluators::devices::Outcome<std::vector<std::uint32_t>> run(const std::string& ptx,
                                                             const std::vector<std::uint32_t>& in,
                                                             std::size_t words, CheckLevel checks,
                                                             std::uint64_t a, std::uint64_t b,
                                                             std::uint64_t seed = 0, unsigned threads = 128) {
  Rig rig(ptx, "k");
  rig.options.checks = checks;
  rig.options.schedule_seed = seed;
  const auto out = rig.buffer("out", std::vector<std::uint32_t>(words));
  const auto done = rig.launch({{1, 1, 1}, {threads, 1, 1}, 0},
                               {pointer(rig.buffer("in", in)), pointer(out), scalar(a), scalar(b)});
  if (!done) return tl::unexpected(done.error());
  return rig.contents<std::uint32_t>(out, words);
}

std::uint64_t descriptor_of(unsigned base, unsigned swizzle, bool transposed, unsigned pattern = 0) {
  return descriptor(base, swizzle, leading_bytes(swizzle, transposed), stride_bytes(swizzle, transposed)) |
         std::uint64_t{pattern} << 49;
}

void check(const Wgmma& w) {
  SCOPED_TRACE(name_of(w));
  model::RandomStream random({7, w.n, w.swizzle_a + 2 * w.swizzle_b, w.a + w.b + w.d});
  const unsigned image = wgmma_image_bytes / 4;
  std::vector<std::uint32_t> in = wgmma_words(w.a, wgmma_b_at / 4, random);
  const auto of_b = wgmma_words(w.b, image - wgmma_b_at / 4, random);
  in.insert(in.end(), of_b.begin(), of_b.end());
  const auto sums = wgmma_words(w.d, std::size_t{w.sums()} * 128, random);
  in.insert(in.end(), sums.begin(), sums.end());
  const auto of_a = wgmma_words(w.a, 4 * 128, random);
  in.insert(in.end(), of_a.begin(), of_a.end());
  const auto exact = run(
      warpgroup_kernel(wgmma_body(w)), in, sums.size(), CheckLevel::exact,
      descriptor_of(w.start_a, w.swizzle_a, w.transposed_a),
      descriptor_of(wgmma_b_at + 128 * w.pattern_b + w.start_b, w.swizzle_b, w.transposed_b, w.pattern_b));
  ASSERT_TRUE(exact) << exact.error().reason << ": " << exact.error().evidence.front().message;
  const auto fast = run(
      warpgroup_kernel(wgmma_body(w)), in, sums.size(), CheckLevel::none,
      descriptor_of(w.start_a, w.swizzle_a, w.transposed_a),
      descriptor_of(wgmma_b_at + 128 * w.pattern_b + w.start_b, w.swizzle_b, w.transposed_b, w.pattern_b));
  ASSERT_TRUE(fast) << fast.error().reason << ": " << fast.error().evidence.front().message;
  EXPECT_EQ(*exact, *fast);

  const unsigned bits = Wgmma::bits_of_element(w.a);
  const auto element_of_a = [&](unsigned row, unsigned k) {
    if (!w.registers) {
      return bits_at(in, canonical_place(w.start_a, row, k, 0, bits, w.swizzle_a, w.transposed_a), bits);
    }
    // PTX ISA, "Register fragments": as A of mma.m16n8, of 32 bytes a row.
    const unsigned byte = k * bits / 8;
    const unsigned thread = row / 16 * 32 + row % 8 * 4 + byte % 16 / 4;
    const unsigned reg = row % 16 / 8 + byte / 16 * 2;
    return bits_at(of_a, (reg * 128 + thread) * 4 + byte % 4, bits);
  };
  const auto element_of_b = [&](unsigned column, unsigned k) {
    const unsigned base = wgmma_b_at + 128 * w.pattern_b + w.start_b;
    return bits_at(in, canonical_place(base, column, k, 0, bits, w.swizzle_b, w.transposed_b, w.pattern_b),
                   bits);
  };
  unsigned wrong = 0;
  for (unsigned row = 0; row < 64; ++row) {
    for (unsigned column = 0; column < w.n; ++column) {
      const unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      const unsigned below = row % 16 / 8;
      const bool halves = w.d == "f16";
      const unsigned reg = halves ? column / 8 * 2 + below : column / 8 * 4 + below * 2 + column % 2;
      const unsigned half = halves ? column % 2 : 0;
      Sum sum;
      for (unsigned k = 0; k < w.k(); ++k) {
        const double sign = w.negated_a != w.negated_b ? -1 : 1;
        sum.add(sign * wgmma_value(w.a, element_of_a(row, k)) * wgmma_value(w.b, element_of_b(column, k)));
      }
      if (w.adds) sum.add(value_of(w.d, element(w.d, sums[reg * 128 + thread], half)));
      const std::uint32_t got = element(w.d, (*exact)[reg * 128 + thread], half);
      if (!agrees(w.d, got, sum, w.k(), false) && wrong++ < 3)
        ADD_FAILURE() << row << ", " << column << ": " << value_of(w.d, got) << ", not " << sum.exact;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(WgmmaValues, EveryType) {
  for (const char* d : {"f32", "f16"}) {
    check({.n = 64, .d = d});
    for (const char* a : {"e4m3", "e5m2"}) {
      for (const char* b : {"e4m3", "e5m2"}) check({.n = 16, .d = d, .a = a, .b = b});
    }
  }
  check({.n = 64, .d = "f32", .a = "bf16", .b = "bf16"});
  check({.n = 64, .d = "f32", .a = "tf32", .b = "tf32"});
  for (const char* a : {"s8", "u8"}) {
    for (const char* b : {"s8", "u8"}) check({.n = 32, .d = "s32", .a = a, .b = b});
  }
}

TEST(WgmmaValues, EveryWidth) {
  for (unsigned n = 8; n <= 256; n += 8) check({.n = n, .swizzle_b = n % 16 == 0 ? 128U : 64U});
}

TEST(WgmmaValues, EverySwizzleInBothDirections) {
  for (const unsigned swizzle : {0U, 32U, 64U, 128U}) {
    for (const bool transposed_a : {false, true}) {
      for (const bool transposed_b : {false, true}) {
        check({.n = 128,
               .swizzle_a = swizzle,
               .swizzle_b = swizzle,
               .transposed_a = transposed_a,
               .transposed_b = transposed_b});
      }
    }
    check({.n = 24, .d = "f32", .a = "tf32", .b = "tf32", .swizzle_a = 128, .swizzle_b = swizzle});
    check({.n = 40, .d = "f32", .a = "e4m3", .b = "e5m2", .swizzle_a = swizzle, .swizzle_b = 64});
  }
}

TEST(WgmmaValues, FurtherAlongK) {
  // The start address of a descriptor goes on by 32 bytes inside of the swizzled rows.
  for (const unsigned start : {32U, 64U, 96U}) check({.n = 64, .start_a = start, .start_b = start});
  check({.n = 64, .swizzle_a = 64, .swizzle_b = 64, .start_a = 32, .start_b = 32});
}

TEST(WgmmaValues, AInRegistersSignsAndNothingAdded) {
  for (const char* type : {"f16", "bf16", "tf32", "e4m3"}) {
    check({.n = 64, .d = "f32", .a = type, .b = type, .registers = true});
    check({.n = 16, .d = "f32", .a = type, .b = type, .registers = true, .negated_a = true});
    check({.n = 16, .d = "f32", .a = type, .b = type, .negated_b = true});
    check({.n = 16, .d = "f32", .a = type, .b = type, .negated_a = true, .negated_b = true, .adds = false});
  }
  check({.n = 16, .d = "s32", .a = "s8", .b = "u8", .registers = true});
  check({.n = 64, .transposed_b = true, .registers = true});
}

TEST(WgmmaValues, APatternThatStartsAnywhere) {
  for (const unsigned swizzle : {32U, 64U, 128U}) {
    for (const unsigned pattern : {1U, 3U, 6U}) {
      check({.n = 64, .swizzle_b = swizzle, .pattern_b = pattern});
      check({.n = 64, .swizzle_b = swizzle, .transposed_b = true, .pattern_b = pattern});
    }
  }
}

/// Sums of 64 x 16 from K-major rows of 128 bytes.
const Wgmma small{.n = 16};

std::vector<std::uint32_t> small_input() {
  model::RandomStream random({3, 1, 1, "wgmma"});
  return wgmma_words("f16", wgmma_image_bytes / 4 + 128 * 16, random);
}

evaluators::devices::Outcome<std::vector<std::uint32_t>> run_small(const std::string& body,
                                                                   std::uint64_t seed = 0,
                                                                   unsigned threads = 128) {
  return run(warpgroup_kernel(body), small_input(), 128 * 16 * 2, CheckLevel::exact,
             descriptor_of(0, 128, false), descriptor_of(wgmma_b_at, 128, false), seed, threads);
}

const std::string begin = load_words('d', 8, 0) + "setp.eq.u32 %p1, 0, 0;\n";
const std::string commit = "wgmma.commit_group.sync.aligned;\n", wait = "wgmma.wait_group.sync.aligned 0;\n",
                  fence = "wgmma.fence.sync.aligned;\n", wait_but_one = "wgmma.wait_group.sync.aligned 1;\n";

void expect_right(const std::string& body, unsigned threads = 128) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const auto done = run_small(body, seed, threads);
    EXPECT_TRUE(done) << done.error().reason << ": " << done.error().evidence.front().message << "\n" << body;
  }
}
void expect_wrong(const std::string& reason, const std::string& body, unsigned threads = 128) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const auto done = run_small(body, seed, threads);
    ASSERT_FALSE(done) << reason << " was not found\n" << body;
    EXPECT_EQ(done.error().reason, reason) << done.error().evidence.front().message << "\n" << body;
  }
}

TEST(WgmmaRegisters, SumsAreNotLookedAtBeforeTheWait) {
  const std::string store = store_words('d', 8);
  const std::string product = begin + wgmma_arrive + wgmma_text(small);
  expect_right(product + commit + wait + store);
  expect_wrong("async_not_waited", product + commit + store + wait);
  // A group that was not committed is not waited for, and one may be left by a number.
  expect_wrong("async_not_waited", product + wait + store);
  expect_wrong("async_not_waited", product + commit + wait_but_one + store);
  expect_right(product + commit + wgmma_text(small, 'e') + commit + wait_but_one + store + wait);
  expect_wrong("async_not_waited", product + commit + wgmma_text(small, 'e') + commit + wait_but_one +
                                       store_words('e', 8) + wait);
  expect_wrong("async_not_waited", product + commit + "add.f32 %d3, %d3, %d3;\n" + wait + store);
}

TEST(WgmmaRegisters, AreNotWrittenBeforeTheWait) {
  const std::string store = store_words('d', 8);
  const std::string product = begin + wgmma_arrive + wgmma_text(small) + commit;
  expect_wrong("async_not_waited", product + "mov.b32 %d2, 0;\n" + wait + store);
  expect_wrong("async_not_waited", product + "ld.global.b32 %d2, [%rd4];\n" + wait + store);
  const Wgmma of_registers{.n = 16, .registers = true};
  const std::string with_a = begin + load_words('a', 4, 8) + wgmma_arrive + wgmma_text(of_registers) + commit;
  expect_right(with_a + wait + "add.u32 %a1, %a1, 1;\n" + store);
  expect_wrong("async_not_waited", with_a + "add.u32 %a1, %a1, 1;\n" + wait + store);
}

TEST(WgmmaRegisters, TakeAFenceBehindWhatComputedThem) {
  const std::string store = store_words('d', 8);
  const std::string product = wgmma_text(small) + commit + wait;
  const std::string ready = "fence.proxy.async;\nbar.sync 0;\n";
  expect_wrong("wgmma_fence", begin + ready + product + store);
  expect_wrong("wgmma_fence", ready + fence + begin + product + store);
  expect_right(begin + ready + fence + product + "add.f32 %d3, %d3, %d3;\n" + fence + product + store);
  expect_wrong("wgmma_fence", begin + ready + fence + product + "add.f32 %d3, %d3, %d3;\n" + product + store);
  // Sums of one shape need none, sums of another do.
  expect_right(begin + ready + fence + wgmma_text(small) + wgmma_text(small) + commit + wait + store);
  const Wgmma narrow{.n = 8};
  expect_wrong("wgmma_fence",
               begin + ready + fence + wgmma_text(small) + wgmma_text(narrow) + commit + wait + store);
  const Wgmma of_registers{.n = 16, .registers = true};
  expect_wrong("wgmma_fence", begin + ready + fence + load_words('a', 4, 8) + wgmma_text(of_registers) +
                                  commit + wait + store);
}

TEST(WgmmaRegisters, OtherNamesAreNoAccess) {
  // What compilers make of variables: copies between a fence and a wgmma, and while sums are under way.
  const std::string ready = "fence.proxy.async;\nbar.sync 0;\n";
  std::string zeros, copies, back;
  for (unsigned k = 0; k < 8; ++k) {
    zeros += fmt::format("mov.f32 %d{}, 0f00000000;\n", k);
    copies += fmt::format("mov.b32 %e{0}, %d{0};\n", k);
    back += fmt::format("mov.b32 %d{0}, %e{0};\n", k);
  }
  const std::string set = "setp.eq.u32 %p1, 0, 0;\n";
  expect_right(set + ready + fence + zeros + wgmma_text(small) + commit + wait + store_words('d', 8));
  expect_right(begin + ready + fence + wgmma_text(small) + commit + copies + wait + store_words('e', 8));
  expect_right(begin + ready + fence + wgmma_text(small) + commit + copies + back + wait +
               store_words('d', 8));
  // A copy of a sum is one, and what was computed late stays so.
  expect_wrong("async_not_waited",
               begin + ready + fence + wgmma_text(small) + commit + copies + store_words('e', 8) + wait);
  expect_wrong("wgmma_fence", begin + ready + fence + "add.f32 %d3, %d3, %d3;\n" + copies +
                                  wgmma_text(small, 'e') + commit + wait + store_words('e', 8));
}

TEST(WgmmaMemory, IsNotOverwrittenBeforeTheWait) {
  const std::string store = store_words('d', 8);
  const std::string product = begin + wgmma_arrive + wgmma_text(small) + commit;
  // Thread t writes into row t / 2 of A, or of B.
  const std::string into_a = "shl.b32 %r10, %r1, 6;\nst.shared.b32 [%r10], %r1;\n";
  const std::string into_b =
      "and.b32 %r10, %r1, 15;\nshl.b32 %r10, %r10, 7;\nsetp.lt.u32 %p3, %r1, 16;\n"
      "@%p3 st.shared.b32 [%r10+" +
      std::to_string(wgmma_b_at) + "], %r1;\n";
  for (const std::string& write : {into_a, into_b}) {
    expect_wrong("async_not_waited", product + write + wait + store);
    expect_wrong("async_not_waited", product + "bar.sync 0;\n" + write + wait + store);
    expect_right(product + wait + "bar.sync 0;\n" + write + store);
  }
  // 128 bytes of k are read a quarter at a time: what is not read may be written.
  expect_right(product + "shl.b32 %r10, %r1, 6;\nor.b32 %r10, %r10, 0;\nadd.u32 %r10, %r10, " +
               std::to_string(wgmma_b_at + 2048) + ";\nst.shared.b32 [%r10], %r1;\n" + wait + store);
  // Another copy into it is a write as well.
  expect_wrong("async_not_waited",
               product +
                   "and.b32 %r10, %r1, 15;\nshl.b32 %r10, %r10, 4;\n"
                   "setp.lt.u32 %p3, %r1, 16;\n@%p3 cp.async.ca.shared.global [%r10], [%rd1], "
                   "16;\ncp.async.wait_all;\n" +
                   wait + store);
}

TEST(WgmmaMemory, OfWhoDoesNotWaitForTheEnd) {
  // The second warpgroup overwrites what the first one multiplies: after a barrier behind the wait, or
  // before.
  const std::string guard = "setp.ge.u32 %p4, %r1, 128;\n@%p4 bra OTHER;\n";
  const std::string other = "bra DONE;\nOTHER:\nshl.b32 %r10, %r1, 6;\nsub.u32 %r10, %r10, 8192;\n";
  const std::string write = "st.shared.b32 [%r10], %r1;\nDONE:\n";
  const std::string arrive = "bar.arrive 1, 256;\n", meet = "bar.sync 1, 256;\n";
  const std::string store = store_words('d', 8);
  const std::string ready =
      "fence.proxy.async;\nbar.sync 0;\n" + guard + begin + fence + wgmma_text(small) + commit;
  expect_right(ready + wait + arrive + store + other + meet + write, 256);
  expect_wrong("race_shared", ready + arrive + wait + store + other + meet + write, 256);
  expect_wrong("race_shared", ready + wait + store + other + write, 256);
}

TEST(WgmmaMemory, IsWrittenBefore) {
  const std::string store = store_words('d', 8);
  const std::string product = wgmma_text(small) + commit + wait + store;
  const std::string into_a = "shl.b32 %r10, %r1, 6;\nst.shared.b32 [%r10], %r1;\n";
  const std::string ready = begin + "fence.proxy.async;\nbar.sync 0;\n" + fence;
  expect_right(ready + into_a + "fence.proxy.async;\nbar.sync 0;\n" + product);
  expect_wrong("race_shared", ready + into_a + "fence.proxy.async;\n" + product);
}

TEST(WgmmaMemory, ThatNobodyWroteSpoilsItsRowsOnly) {
  // A kernel of its own: rows of A from 32 on are not written, and their sums not looked at.
  const auto kernel = [&](unsigned rows) {
    std::string ptx = warpgroup_kernel(begin + wgmma_arrive + wgmma_text(small) + commit + wait +
                                       fmt::format("setp.lt.u32 %p3, %r1, {};\n@!%p3 bra END;\n", rows * 2) +
                                       store_words('d', 8) + "END:\n");
    // The image without the 4 KiB of rows 32 to 63 of A.
    const std::string store = "st.shared.b32 [%r4], %r3;";
    const std::string some = "and.b32 %r6, %r4, 61440;\nsetp.eq.u32 %p5, %r6, 4096;\n@!%p5 " + store;
    return ptx.replace(ptx.find(store), store.size(), some);
  };
  const auto result = [&](unsigned rows) {
    return run(kernel(rows), small_input(), 128 * 16 * 2, CheckLevel::exact, descriptor_of(0, 128, false),
               descriptor_of(wgmma_b_at, 128, false));
  };
  const auto correct = result(32);
  EXPECT_TRUE(correct) << correct.error().evidence.front().message;
  const auto spoilt = result(48);
  ASSERT_FALSE(spoilt);
  EXPECT_EQ(spoilt.error().reason, "uninitialized");
}

TEST(WgmmaMemory, EndsWithTheBlocksOwn) {
  const auto far =
      run(warpgroup_kernel(begin + wgmma_arrive + wgmma_text(small) + commit + wait), small_input(),
          128 * 16 * 2, CheckLevel::exact, descriptor_of(wgmma_image_bytes - 1024, 128, false),
          descriptor_of(wgmma_b_at, 128, false));
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().reason, "out_of_bounds");
}

/// Kernels of the fixture wgmma.cu: 128 x 128 sums of `k` products.
evaluators::devices::Outcome<std::vector<float>> run_gemm(const std::string& kernel, unsigned k,
                                                          CheckLevel checks, std::uint64_t seed,
                                                          std::vector<std::uint32_t>& in) {
  constexpr unsigned m = 128, n = 128;
  model::RandomStream random({11, k, 0, "gemm"});
  in = wgmma_words("f16", std::size_t{m + n} * k / 2, random);
  const auto middle = in.begin() + m * k / 2;
  Rig rig("wgmma.ptx", kernel);
  rig.options.checks = checks;
  rig.options.schedule_seed = seed;
  const auto out = rig.empty<float>("c", m * n);
  const bool roles = kernel.starts_with("gemm_roles");
  const Rig::Arguments arguments{pointer(rig.buffer("a", std::vector<std::uint32_t>(in.begin(), middle))),
                                 pointer(rig.buffer("b", std::vector<std::uint32_t>(middle, in.end()))),
                                 pointer(out), scalar(static_cast<int>(n)), scalar(static_cast<int>(k))};
  const model::LaunchPlan plan = roles ? model::LaunchPlan{{2, 1, 1}, {288, 1, 1}, 2 * 3 * 8192}
                                       : model::LaunchPlan{{2, 2, 1}, {128, 1, 1}, 0};
  const auto done = rig.launch(plan, arguments);
  if (!done) return tl::unexpected(done.error());
  return rig.contents<float>(out, m * n);
}

TEST(WgmmaGemm, RightKernelsGiveRightSums) {
  constexpr unsigned k = 192, every = 17;  // of the rows
  std::vector<std::uint32_t> in;
  std::vector<double> expected;
  for (const char* kernel : {"gemm_simple", "gemm_ring_of_two", "gemm_roles_right"}) {
    for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered}) {
      for (const std::uint64_t seed : {0U, 3U}) {
        SCOPED_TRACE(fmt::format("{} {} {}", kernel, static_cast<int>(checks), seed));
        const auto sums = run_gemm(kernel, k, checks, seed, in);
        ASSERT_TRUE(sums) << sums.error().reason << ": " << sums.error().evidence.front().message;
        const auto value = [&](unsigned row, unsigned at) {
          return value_of("f16", element("f16", in[(row * k + at) / 2], at % 2));
        };
        for (unsigned i = 0; expected.size() < 128 / every * 128; ++i) {
          double sum = 0;
          for (unsigned at = 0; at < k; ++at) sum += value(i / 128 * every, at) * value(128 + i % 128, at);
          expected.push_back(sum);
        }
        double worst = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
          worst = std::max(worst, std::fabs(expected[i] - (*sums)[i / 128 * every * 128 + i % 128]));
        EXPECT_LT(worst, 1e-3);
      }
    }
  }
}

TEST(WgmmaGemm, MistakesAreFoundWhereTheyAre) {
  struct Mistake {
    const char* kernel;
    const char* reason;
    const char* mark;
  };
  for (const auto& [kernel, reason, mark] :
       std::vector<Mistake>{{"gemm_ring_too_small", "async_not_waited", "overwritten"},
                            {"gemm_roles_early", "race_shared", "overwritten"},
                            {"gemm_not_waited", "async_not_waited", "stored"},
                            {"gemm_scaled_late", "wgmma_fence", "multiplied"}}) {
    for (const std::uint64_t seed : {0U, 3U, 4U}) {
      SCOPED_TRACE(fmt::format("{} {}", kernel, seed));
      std::vector<std::uint32_t> in;
      const auto sums = run_gemm(kernel, 192, CheckLevel::filtered, seed, in);
      ASSERT_FALSE(sums);
      const Evidence& first = sums.error().evidence.front();
      EXPECT_EQ(sums.error().reason, reason) << first.message;
      EXPECT_EQ(first.line, marked_line("wgmma.cu", mark)) << first.message;
    }
  }
}

TEST(WgmmaGemm, IsCountedAsWorkOfTheTensorCores) {
  constexpr unsigned k = 128;
  Rig rig("wgmma.ptx", "gemm_simple");
  rig.options.checks = CheckLevel::none;
  rig.options.count = true;
  const auto done =
      rig.launch({{2, 2, 1}, {128, 1, 1}, 0},
                 {pointer(rig.buffer("a", std::vector<std::uint32_t>(128 * k / 2))),
                  pointer(rig.buffer("b", std::vector<std::uint32_t>(128 * k / 2))),
                  pointer(rig.empty<float>("c", 128 * 128)), scalar(128), scalar(static_cast<int>(k))});
  ASSERT_TRUE(done) << done.error().evidence.front().message;
  // A warp's quarter of m64n64k16 is 16 of an m16n8k8, at the rate of wgmma.
  EXPECT_EQ(done->counts.tensor, 4 * 4 * (k / 16) * std::lround(16 * 0.62));
}

TEST(Warpgroups, TakePartAsAWhole) {
  const std::string product = begin + wgmma_arrive + wgmma_text(small) + commit + wait;
  const std::string end = store_words('d', 8);
  // A warp less, a warpgroup that begins with warp 1, and lanes that do not come.
  const auto if_thread = [&](const std::string& compare, unsigned bound) {
    return begin + wgmma_arrive + fmt::format("setp.{}.u32 %p4, %r1, {};\n@%p4 bra END;\n", compare, bound) +
           wgmma_text(small) + commit + wait + "END:\n";
  };
  expect_right(product + end);
  expect_right(if_thread("ge", 128), 256);
  expect_right(if_thread("lt", 128), 256);
  expect_wrong("shuffle_mask", if_thread("ge", 96));
  expect_wrong("shuffle_mask", if_thread("lt", 32), 160);
  expect_wrong("shuffle_mask", if_thread("eq", 77));
  expect_wrong("shuffle_mask", product, 96);
}

TEST(Warpgroups, HaveOneSetOfOperands) {
  const std::string each = begin + "fence.proxy.async;\nbar.sync 0;\n" + fence;
  const std::string rest = wgmma_text(small) + commit + wait + store_words('d', 8);
  expect_right(each + rest);
  expect_wrong("shuffle_mask", each +
                                   "shr.u32 %r10, %r1, 6;\nshl.b32 %r10, %r10, 1;\ncvt.u64.u32 %rd12, %r10;\n"
                                   "add.u64 %rd10, %rd10, %rd12;\n" +
                                   rest);
  expect_wrong("shuffle_mask", each + "setp.lt.u32 %p1, %r1, 64;\n" + rest);
}

TEST(Warpgroups, SetTheirNumberOfRegisters) {
  const std::string body = begin + wgmma_arrive + wgmma_text(small) + commit + wait + store_words('d', 8);
  expect_right("setmaxnreg.inc.sync.aligned.u32 240;\n" + body);
  expect_right("setmaxnreg.dec.sync.aligned.u32 24;\n" + body);
  for (const char* wrong : {"20", "264", "100"})
    expect_wrong("unsupported_instruction",
                 fmt::format("setmaxnreg.inc.sync.aligned.u32 {};\n", wrong) + body);
}

}  // namespace
}  // namespace evo::tests::wgmma_cases
