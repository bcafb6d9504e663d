#include "evaluators/compile/entry_in.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace evo::evaluators::compile {
namespace {

/// What `k` means in a module with these kernels.
std::string of(std::initializer_list<const char*> entries) {
  std::string ptx = ".version 9.0\n";
  for (const char* entry : entries) ptx += std::string(".visible .entry ") + entry + "(\n)\n{\nret;\n}\n";
  return entry_in(ptx, "k");
}

TEST(EntryIn, ANameOutsideOfNamespaces) {
  EXPECT_EQ(of({"other", "k"}), "k");
  EXPECT_EQ(of({"_Z2kkPi", "_Z1kPi"}), "_Z1kPi");
}

TEST(EntryIn, ANamespaceWithoutANameHidesNothing) {
  EXPECT_EQ(of({"_ZN12_GLOBAL__N_11kEPi", "_ZN12_GLOBAL__N_12kkEPi"}), "_ZN12_GLOBAL__N_11kEPi");
  EXPECT_EQ(of({"_ZN30_GLOBAL__N__0123abcd_4_k_cu_0a1kEPi"}), "_ZN30_GLOBAL__N__0123abcd_4_k_cu_0a1kEPi");
}

TEST(EntryIn, ANamespaceThatHasANameIsAskedFor) {
  EXPECT_EQ(of({"_ZN2ns1kEPi"}), "k");
  EXPECT_EQ(of({"_ZN12_GLOBAL__N_12ns1kEPi"}), "k");
}

TEST(EntryIn, OfTwoNobodyKnowsWhich) {
  EXPECT_EQ(of({"_Z1kPi", "_Z1kPf"}), "k");
  EXPECT_EQ(of({"_ZN12_GLOBAL__N_11kEPi", "_Z1kPf"}), "k");
}

}  // namespace
}  // namespace evo::evaluators::compile
