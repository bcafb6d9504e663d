// gtest's own, and as in evo's: memory that a launch on the virtual device gives back stays with the process,
// since clearing its pages anew for the next launch costs more than the launch.
#include <malloc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
