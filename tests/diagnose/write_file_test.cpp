#include "diagnose/write_file.hpp"

#include <gtest/gtest.h>

namespace evo::diagnose {
namespace {

TEST(WriteFile, AFolderThatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(write_file("/proc/no/such/file", "x").has_value());
}

}  // namespace
}  // namespace evo::diagnose
