// The one word that the filter keeps of a granule of global memory, against all pairs of accesses.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

#include "evaluators/devices/virtual/warp/global_mark.hpp"

namespace evo::tests::warp {
namespace {

namespace mark = evo::evaluators::virtual_device::warp::mark;

enum class Kind { read, non_coherent, copy, write, merged, atomic };
struct MarkedAccess {
  Kind kind;
  std::uint64_t block, moment;
  std::uint32_t thread;
};

bool writes(const MarkedAccess& a) {
  return a.kind >= Kind::write;
}
/// `a` comes first.
bool races(const MarkedAccess& a, const MarkedAccess& b) {
  if (!writes(a) && !writes(b)) return false;
  if (a.kind == Kind::atomic && b.kind == Kind::atomic) return false;
  // Nothing may write what ld.global.nc reads, in whatever order.
  if (a.kind == Kind::non_coherent || b.kind == Kind::non_coherent) return true;
  if (a.block != b.block) return true;
  const bool one_thread = a.thread == b.thread && a.kind != Kind::merged && b.kind != Kind::merged;
  return !one_thread && a.moment == b.moment;
}
/// What the filter may suspect although it is none.
bool suspected(const MarkedAccess& a, const MarkedAccess& b) {
  const bool atomics = (a.kind == Kind::atomic) != (b.kind == Kind::atomic);
  return races(a, b) || (a.kind == Kind::copy && writes(b)) || (atomics && (writes(a) || writes(b)));
}

bool told(const std::vector<MarkedAccess>& accesses) {
  std::uint64_t cell = 0;
  bool conflict = false;
  for (const MarkedAccess& a : accesses) {
    const std::uint64_t own = mark::own(a.block, a.moment, a.thread);
    const std::uint64_t sort = a.kind == Kind::non_coherent ? mark::non_coherent
                               : a.kind == Kind::copy       ? mark::copied
                                                            : 0;
    const mark::Change change = a.kind == Kind::atomic ? mark::after_atomic(cell)
                                : writes(a)            ? mark::after_write(cell, own, a.kind == Kind::merged)
                                                       : mark::after_read(cell, own, sort);
    cell = change.mark;
    conflict |= change.conflict;
  }
  return conflict;
}

TEST(GlobalMark, TellsEveryRaceAndLittleElse) {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  unsigned racing = 0;
  unsigned clean = 0;
  for (int round = 0; round < 400'000; ++round) {
    const unsigned blocks = 1 + below(2);
    const unsigned threads = 1 + below(3);
    std::uint64_t moments[2] = {0, 0};
    std::vector<MarkedAccess> accesses;
    const bool kinds_of_all = below(2) == 0;
    for (unsigned k = 2 + below(5); k > 0; --k) {
      MarkedAccess access{};
      access.block = below(blocks);
      if (below(3) == 0) ++moments[access.block];
      access.moment = moments[access.block];
      access.thread = below(threads);
      const unsigned kind = below(kinds_of_all ? 6 : 2);
      access.kind = kinds_of_all ? static_cast<Kind>(kind) : kind == 0 ? Kind::read : Kind::write;
      accesses.push_back(access);
    }
    bool race = false;
    bool suspicion = false;
    for (std::size_t b = 1; b < accesses.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        race |= races(accesses[a], accesses[b]);
        suspicion |= suspected(accesses[a], accesses[b]);
      }
    }
    std::ostringstream text;
    for (const MarkedAccess& a : accesses) {
      text << " kind " << static_cast<int>(a.kind) << " block " << a.block << " moment " << a.moment
           << " thread " << a.thread << ';';
    }
    const bool is_told = told(accesses);
    ASSERT_TRUE(is_told || !race) << text.str();
    ASSERT_TRUE(!is_told || suspicion) << text.str();
    racing += race ? 1 : 0;
    clean += suspicion ? 0 : 1;
  }
  EXPECT_GT(racing, 10'000U);
  EXPECT_GT(clean, 10'000U);
}

TEST(GlobalMark, MomentsThatNoLongerFitAreOne) {
  const std::uint64_t before = mark::after_write(0, mark::own(3, 65'534, 1), false).mark;
  EXPECT_FALSE(mark::after_write(before, mark::own(3, 65'535, 2), false).conflict);
  const std::uint64_t last = mark::after_write(0, mark::own(3, 65'535, 1), false).mark;
  EXPECT_TRUE(mark::after_write(last, mark::own(3, 70'000, 2), false).conflict);
  EXPECT_FALSE(mark::after_write(last, mark::own(3, 70'000, 1), false).conflict);
}

}  // namespace
}  // namespace evo::tests::warp
