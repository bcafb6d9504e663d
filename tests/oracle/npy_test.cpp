// Arguments as .npy files and back.
#include "evaluators/oracle/npy.hpp"

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::DType;

TEST(NpyArrays, ThereAndBack) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8, DType::u8, DType::i32,
                            DType::u32, DType::i64, DType::u64, DType::i16, DType::u16, DType::f8e4m3}) {
    const auto argument = tests::array_argument("a", model::ArgumentRole::input, dtype, {2, 3}, {5, 1});
    std::vector<std::byte> buffer(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0xff});
    for (std::int64_t e = 0; e < 6; ++e)
      store_element(dtype, static_cast<double>(e * 3),
                    buffer.data() + (e / 3 * 5 + e % 3) * model::size_of(dtype));
    const auto array = model::parse_npy(npy_of(argument, buffer));
    ASSERT_TRUE(array) << model::name_of(dtype) << array.error().text();
    EXPECT_EQ(array->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array->values, (std::vector<double>{0, 3, 6, 9, 12, 15}));
    EXPECT_EQ(buffer_of(argument, *array).value(), buffer) << "gaps included";
  }
}

TEST(NpyArrays, AnotherShapeIsNoBufferOfTheArgument) {
  const auto argument = tests::array_argument("a", model::ArgumentRole::input, DType::f32, {2, 3});
  EXPECT_NE(buffer_of(argument, {{3, 2}, std::vector<double>(6), "f4"}).error().message.find("(2, 3)"),
            std::string::npos);
}

}  // namespace
}  // namespace evo::evaluators::oracle
