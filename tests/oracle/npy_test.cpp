// .npy files there and back, and what is none.
#include "evaluators/oracle/npy.hpp"

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::DType;

std::string header(const std::string& dictionary, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes + dictionary + data;
}

TEST(NpyArrays, ThereAndBack) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8, DType::u8, DType::i32,
                            DType::u32, DType::i64, DType::u64}) {
    const auto argument = tests::array_argument("a", model::ArgumentRole::input, dtype, {2, 3}, {5, 1});
    std::vector<std::byte> buffer(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0xff});
    for (std::int64_t e = 0; e < 6; ++e)
      store_element(dtype, static_cast<double>(e * 3),
                    buffer.data() + (e / 3 * 5 + e % 3) * model::size_of(dtype));
    const auto array = parse_npy(npy_of(argument, buffer));
    ASSERT_TRUE(array) << model::name_of(dtype) << array.error().text();
    EXPECT_EQ(array->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array->values, (std::vector<double>{0, 3, 6, 9, 12, 15}));
    EXPECT_EQ(buffer_of(argument, *array).value(), buffer) << "gaps included";
  }
}

TEST(NpyArrays, FortranOrderIsTurned) {
  const auto array = parse_npy(header("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
                                      std::string("\x00\x03\x01\x04\x02\x05", 6)));
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_EQ(array->values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(NpyArrays, WhatIsNoneIsTold) {
  const auto error = [](const std::string& bytes) {
    const auto array = parse_npy(bytes);
    EXPECT_FALSE(array);
    return array ? "" : array.error().message;
  };
  EXPECT_NE(error("PK\x03\x04 and more bytes").find("it begins otherwise"), std::string::npos);
  const std::string shape = ", 'fortran_order': False, 'shape': (4,), }\n";
  EXPECT_NE(error(header("{'descr': '>f4'" + shape, std::string(16, '\0'))).find(">f4"), std::string::npos);
  EXPECT_NE(error(header("{'descr': '<c8'" + shape, std::string(32, '\0'))).find("<c8"), std::string::npos);
  EXPECT_NE(error(header("{'descr': '<f4'" + shape, std::string(15, '\0'))).find("more bytes"),
            std::string::npos);
  EXPECT_NE(error(header("{'shape': 4}", "")).find("its header is"), std::string::npos);
  const auto argument = tests::array_argument("a", model::ArgumentRole::input, DType::f32, {2, 3});
  EXPECT_NE(buffer_of(argument, {{3, 2}, std::vector<double>(6), "f4"}).error().message.find("(2, 3)"),
            std::string::npos);
  EXPECT_FALSE(read_npy("/no/such/file.npy"));
}

}  // namespace
}  // namespace evo::evaluators::oracle
