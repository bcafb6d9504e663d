#include "model/hash.hpp"

#include <gtest/gtest.h>

namespace evo::model {
namespace {

TEST(Hash, MatchesThePublishedVector) {
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hash, PartsAreNotConcatenated) {
  const auto of = [](std::initializer_list<const char*> parts) {
    Hasher hasher;
    for (const char* part : parts) hasher.add(part);
    return hasher.finish();
  };
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"ab"}), of({"ab", ""}));
  EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
}

}  // namespace
}  // namespace evo::model
