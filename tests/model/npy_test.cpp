#include "model/npy.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::model {
namespace {

/// The parts of a version 1.0 file, as numpy.lib.format describes them.
struct ParsedNpy {
  std::string dictionary;
  std::vector<double> values;
};

ParsedNpy parse_writers_npy(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length =
      static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ((10 + length) % 64, 0U);
  ParsedNpy parsed;
  parsed.dictionary = bytes.substr(10, length);
  EXPECT_EQ(parsed.dictionary.back(), '\n');
  parsed.values.resize((bytes.size() - 10 - length) / sizeof(double));
  if (!parsed.values.empty())
    std::memcpy(parsed.values.data(), bytes.data() + 10 + length, parsed.values.size() * sizeof(double));
  return parsed;
}

std::string npy_text(const std::string& dictionary, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes + dictionary + data;
}

TEST(NpyReader, FortranOrderIsTurned) {
  const auto array = parse_npy(npy_text("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
                                        std::string("\x00\x03\x01\x04\x02\x05", 6)));
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_EQ(array->values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(NpyReader, WhatIsNoneIsTold) {
  const auto error = [](const std::string& bytes) {
    const auto array = parse_npy(bytes);
    EXPECT_FALSE(array);
    return array ? "" : array.error().message;
  };
  EXPECT_NE(error("PK\x03\x04 and more bytes").find("it begins otherwise"), std::string::npos);
  const std::string shape = ", 'fortran_order': False, 'shape': (4,), }\n";
  EXPECT_NE(error(npy_text("{'descr': '>f4'" + shape, std::string(16, '\0'))).find(">f4"), std::string::npos);
  EXPECT_NE(error(npy_text("{'descr': '<c8'" + shape, std::string(32, '\0'))).find("<c8"), std::string::npos);
  EXPECT_NE(error(npy_text("{'descr': '<f4'" + shape, std::string(15, '\0'))).find("more bytes"),
            std::string::npos);
  EXPECT_NE(error(npy_text("{'shape': 4}", "")).find("its header is"), std::string::npos);
  EXPECT_FALSE(read_npy("/no/such/file.npy"));
}

TEST(NpyWriter, HeaderSaysTypeOrderAndShape) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(parse_writers_npy(npy_file(values, {2, 3})).dictionary.substr(0, 59),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_NE(npy_file(values, {6}).find("'shape': (6,)"), std::string::npos);
  const std::vector<float> floats{1};
  EXPECT_NE(npy_file(std::span<const float>(floats), {1, 1}).find("'<f4'"), std::string::npos);
}

TEST(NpyReader, EveryTypeThatIsWrittenIsRead) {
  for (const std::string_view name : dtype_names()) {
    const DType dtype = *dtype_from_name(name);
    const std::string zeros(static_cast<std::size_t>(3 * size_of(npy_dtype(dtype))), '\0');
    const auto array = parse_npy(npy_file(dtype, {3}, zeros));
    ASSERT_TRUE(array) << name << ": " << array.error().text();
    EXPECT_EQ(array->values, (std::vector<double>{0, 0, 0})) << name;
  }
}

TEST(NpyReader, TypesRoundAsTheirMantissaDoes) {
  const std::vector<float> floats{1};
  EXPECT_EQ(parse_npy(npy_file(std::span<const float>(floats), {1}))->rounding(), 0x1p-24);
  const auto halves = parse_npy(npy_file(DType::f16, {2}, std::string("\x00\x3c\x01\x00", 4)));
  EXPECT_EQ(halves->values, (std::vector<double>{1, 0x1p-24})) << "a subnormal";
  EXPECT_EQ(halves->rounding(), 0x1p-11);
  EXPECT_EQ(parse_npy(npy_file(DType::i32, {1}, std::string(4, '\0')))->rounding(), 0);
}

RC_GTEST_PROP(NpyWriter, KeepsTheValues, (const std::vector<double>& values)) {
  RC_ASSERT(parse_writers_npy(npy_file(values, {static_cast<std::int64_t>(values.size()), 1})).values ==
            values);
}

}  // namespace
}  // namespace evo::model
