// All 256 values of the two 8-bit floats.
#include "evaluators/oracle/float8.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/rounding.hpp"

namespace evo::evaluators::oracle {
namespace {

struct Float8 {
  double (*widen)(std::uint8_t);
  std::uint8_t (*round)(double);
  double largest, smallest;
  int exponent_bits;
};
const Float8 e4m3{&double_from_e4m3, &e4m3_from_double, 448, 0x1p-9, 4};
const Float8 e5m2{&double_from_e5m2, &e5m2_from_double, 57344, 0x1p-16, 5};

TEST(Float8, EveryValueComesBack) {
  for (const Float8& type : {e4m3, e5m2}) {
    int nans = 0, infinities = 0;
    for (unsigned bits = 0; bits < 256; ++bits) {
      const double value = type.widen(static_cast<std::uint8_t>(bits));
      if (std::isnan(value)) {
        ++nans;
        EXPECT_TRUE(std::isnan(type.widen(type.round(value))));
      } else if (std::isinf(value)) {
        ++infinities;
        EXPECT_EQ(type.widen(type.round(value)), std::copysign(type.largest, value));
      } else {
        EXPECT_EQ(type.round(value), bits) << value;
      }
    }
    EXPECT_EQ(nans, type.exponent_bits == 4 ? 2 : 6);
    EXPECT_EQ(infinities, type.exponent_bits == 4 ? 0 : 2);
  }
}

TEST(Float8, KnownValues) {
  EXPECT_EQ(double_from_e4m3(0x38), 1);
  EXPECT_EQ(double_from_e4m3(0x7e), 448);
  EXPECT_EQ(double_from_e4m3(0x01), 0x1p-9);
  EXPECT_EQ(double_from_e4m3(0xb8), -1);
  EXPECT_EQ(double_from_e5m2(0x3c), 1);
  EXPECT_EQ(double_from_e5m2(0x7b), 57344);
  EXPECT_EQ(double_from_e5m2(0x01), 0x1p-16);
  EXPECT_EQ(double_from_e5m2(0x7c), std::numeric_limits<double>::infinity());
}

TEST(Float8, HalfwayGoesToTheEvenOneAndBeyondTheRangeStaysFinite) {
  for (const Float8& type : {e4m3, e5m2}) {
    for (unsigned bits = 0; bits < 0x7f; ++bits) {
      const double low = type.widen(static_cast<std::uint8_t>(bits));
      const double high = type.widen(static_cast<std::uint8_t>(bits + 1));
      if (!std::isfinite(high)) break;
      const double half = (low + high) / 2;
      const unsigned even = bits % 2 == 0 ? bits : bits + 1;
      EXPECT_EQ(type.round(half), even) << half;
      EXPECT_EQ(type.round(-half), even | 0x80U) << half;
      EXPECT_EQ(type.round(std::nextafter(half, 0)), bits) << half;
      EXPECT_EQ(type.round(std::nextafter(half, 1e9)), bits + 1) << half;
    }
    EXPECT_EQ(type.widen(type.round(1e9)), type.largest);
    EXPECT_EQ(type.widen(type.round(-1e9)), -type.largest);
    EXPECT_EQ(type.round(type.smallest / 2), 0) << "a tie";
  }
}

TEST(SmallIntegers, AreStoredAndLoaded) {
  std::byte bytes[2]{};
  for (const auto& [dtype, value, kept] :
       std::vector<std::tuple<model::DType, double, double>>{{model::DType::i16, -32768, -32768},
                                                             {model::DType::i16, 1e6, 32767},
                                                             {model::DType::u16, 65535, 65535},
                                                             {model::DType::u16, -3, 0},
                                                             {model::DType::boolean, 7, 1},
                                                             {model::DType::boolean, 0, 0}}) {
    store_element(dtype, value, bytes);
    EXPECT_EQ(load_element(dtype, bytes), kept) << model::name_of(dtype);
  }
  bytes[0] = std::byte{2};
  EXPECT_EQ(load_element(model::DType::boolean, bytes), 2) << "no truth value: it must not pass for one";
}

TEST(DTypes, EachIsNamedAndHasACType) {
  for (const std::string_view name : model::dtype_names()) {
    const auto dtype = model::dtype_from_name(name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(model::name_of(*dtype), name);
    EXPECT_FALSE(model::c_type_of(*dtype).empty());
    EXPECT_LT(model::range_of(*dtype).low, model::range_of(*dtype).high);
  }
  EXPECT_EQ(model::c_type_of(model::DType::i8), "signed char");
  EXPECT_EQ(model::c_type_of(model::DType::boolean), "bool");
  EXPECT_EQ(model::c_type_of(model::DType::f16), "__half");
}

}  // namespace
}  // namespace evo::evaluators::oracle
