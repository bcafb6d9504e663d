#include "model/entry_name.hpp"

#include <gtest/gtest.h>

namespace evo::model {
namespace {

TEST(EntryName, ParametersChooseAmongOverloads) {
  const auto [name, parameters] = without_parameters("ns::k<int, 4> (float*, pair<int, int>)");
  EXPECT_EQ(name, "ns::k<int, 4>");
  EXPECT_EQ(parameters, "(float*, pair<int, int>)");
  EXPECT_EQ(address_expression("ns::k(float*)"), "(void (*)(float*))ns::k");
  EXPECT_EQ(address_expression("k(void (*)(int), float)", "::"), "(void (*)(void (*)(int), float))::k");
  EXPECT_EQ(address_expression("::k()", "::"), "(void (*)())::k");
}

TEST(EntryName, OthersAreWhatTheyWere) {
  for (const char* entry : {"k", "ns::k<float, {TILE}>", "k<sizeof(int)>", "(k)"}) {
    EXPECT_FALSE(without_parameters(entry).second) << entry;
    EXPECT_EQ(address_expression(entry), entry);
  }
  EXPECT_EQ(address_expression("k<2>", "::"), "::k<2>");
}

TEST(EntryName, TheLastPartIsTheName) {
  for (const char* entry : {"k", "a::b::k", "a::k<x::y>", "a::k(x::y)", "a::k<x::y>(z::w)"})
    EXPECT_EQ(plain_kernel_name(entry), "k") << entry;
}

}  // namespace
}  // namespace evo::model
