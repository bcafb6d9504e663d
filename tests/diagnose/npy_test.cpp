#include "diagnose/npy.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::diagnose {
namespace {

/// The parts of a version 1.0 file, as numpy.lib.format describes them.
struct Parsed {
  std::string dictionary;
  std::vector<double> values;
};

Parsed parse(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length =
      static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ((10 + length) % 64, 0U);
  Parsed parsed;
  parsed.dictionary = bytes.substr(10, length);
  EXPECT_EQ(parsed.dictionary.back(), '\n');
  parsed.values.resize((bytes.size() - 10 - length) / sizeof(double));
  if (!parsed.values.empty())
    std::memcpy(parsed.values.data(), bytes.data() + 10 + length, parsed.values.size() * sizeof(double));
  return parsed;
}

TEST(Npy, HeaderSaysTypeOrderAndShape) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(parse(npy_bytes(values, {2, 3})).dictionary.substr(0, 59),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_NE(npy_bytes(values, {6}).find("'shape': (6,)"), std::string::npos);
  const std::vector<float> floats{1};
  EXPECT_NE(npy_bytes(std::span<const float>(floats), {1, 1}).find("'<f4'"), std::string::npos);
}

RC_GTEST_PROP(Npy, KeepsTheValues, (const std::vector<double>& values)) {
  RC_ASSERT(parse(npy_bytes(values, {static_cast<std::int64_t>(values.size()), 1})).values == values);
}

TEST(Npy, AFolderThatCannotBeWrittenIsAnError) {
  EXPECT_FALSE(write_file("/proc/no/such/file", "x").has_value());
}

}  // namespace
}  // namespace evo::diagnose
