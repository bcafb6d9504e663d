// What arguments hold: inout, before, unwritten, unused, neutral and fill, correct and wrong.
#include <gtest/gtest.h>

#include <cstring>

#include "config/loader.hpp"
#include "config/npy.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using model::ArgumentRole;
using model::FillForm;
using testing::Files;

/// A .npy file of format 1.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
  const auto size = static_cast<std::uint16_t>(header.size());
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  bytes.append(reinterpret_cast<const char*>(&size), 2);
  return bytes + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

struct ArgumentContents : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  void SetUp() override {
    files.write("kernels/copy/naive.cu", "__global__ void reference() {}\n");
    files.edit("kernels/copy/problem.yaml", "oracle: copy", "oracle: {kernel: naive.cu}");
  }
  void edit(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
  }
  model::Problem load() {
    auto problem = load_problem("copy", path);
    if (!problem) throw std::runtime_error(problem.error().text());
    return std::move(*problem);
  }
  /// The error, with `to` instead of `from`, which comes back afterwards.
  std::string error(const std::string& from, const std::string& to) {
    edit(from, to);
    const auto problem = load_problem("copy", path);
    edit(to, from);
    return problem ? "no error" : problem.error().text();
  }
  /// Of the argument x, in line 6, with these keys.
  std::string error_of_x(const std::string& keys) {
    return error("shape: [n, width]}\n  - {name: y", "shape: [n, width], " + keys + "}\n  - {name: y");
  }
  static void expect(const std::string& text, const std::string& part, int line) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(text.find("problem.yaml:" + std::to_string(line) + ":"), std::string::npos) << text;
  }
  model::Expected<model::Case> bind(const model::Problem& problem, std::int64_t n) {
    const model::Template& kernel = problem.templates.front();
    model::TargetProfile target;
    target.smem_per_block_optin = 49152;
    const model::Space space = model::bind_space(problem, kernel, {{"width", 2}}, target);
    return model::bind_case(problem, kernel, space, space.initial(), {"w", 1, {{"n", n}, {"width", 2}}});
  }
};

TEST_F(ArgumentContents, RolesAndWhatStandsBefore) {
  edit("name: y, role: output", "name: y, role: inout, unwritten: keep");
  edit("args:\n",
       "args:\n  - {name: z, role: output, dtype: i16, shape: [n], before: zero, unwritten: keep}\n"
       "  - {name: o, role: scalar, dtype: u16, value: 0, neutral: true, fixed: true}\n"
       "  - {name: p, role: input, dtype: bool, shape: [n], unused: true}\n");
  const model::Problem problem = load();
  EXPECT_TRUE(problem.arguments[0].zeroed);
  EXPECT_TRUE(problem.arguments[0].keeps_unwritten);
  EXPECT_EQ(problem.arguments[0].dtype, model::DType::i16);
  EXPECT_TRUE(problem.arguments[1].neutral);
  EXPECT_TRUE(problem.arguments[1].fixed);
  EXPECT_FALSE(problem.arguments[4].fixed);
  EXPECT_TRUE(problem.arguments[2].neutral);
  EXPECT_EQ(problem.arguments[2].dtype, model::DType::boolean);
  EXPECT_FALSE(problem.arguments[3].neutral);
  EXPECT_EQ(problem.arguments[4].role, ArgumentRole::inout);
  EXPECT_TRUE(problem.arguments[4].keeps_unwritten);
  const auto bound = bind(problem, 5);
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_TRUE(bound->arguments[0].zeroed && bound->arguments[0].keeps_unwritten);
  EXPECT_TRUE(bound->arguments[4].keeps_unwritten);
}

TEST_F(ArgumentContents, AnInoutIsNeutralThatHoldsOneNumber) {
  EXPECT_NE(error("name: y, role: output", "name: y, role: inout, neutral: true").find("an inout neutral"),
            std::string::npos);
  EXPECT_NE(error("name: y, role: output", "name: y, role: inout, neutral: true, fill: {uniform: [0, 1]}")
                .find("an inout neutral"),
            std::string::npos);
  edit("name: y, role: output", "name: y, role: inout, neutral: true, fill: {constant: -1e30}");
  EXPECT_TRUE(load().arguments[1].neutral);
}

TEST_F(ArgumentContents, ARangeOfAScalarAndSpecialValuesOfAnInput) {
  edit("args:\n", "args:\n  - {name: o, role: scalar, dtype: i32, value: 3, range: [-2, 1e3]}\n");
  EXPECT_FALSE(load().arguments[1].special);
  edit("shape: [n, width]}\n  - {name: y", "shape: [n, width], special: [inf]}\n  - {name: y");
  const model::Problem problem = load();
  ASSERT_TRUE(problem.arguments[0].range);
  EXPECT_EQ(problem.arguments[0].range->least, -2);
  EXPECT_EQ(problem.arguments[0].range->most, 1000);
  ASSERT_TRUE(problem.arguments[1].special);
  EXPECT_TRUE(problem.arguments[1].special->infinity);
  EXPECT_FALSE(problem.arguments[1].special->nan || problem.arguments[1].special->inferred);
}

TEST_F(ArgumentContents, SpecialValuesAreTakenFromTheReference) {
  files.write("kernels/copy/naive.cu", "__global__ void reference() { isnan(0.0); }\n");
  const model::Problem problem = load();
  ASSERT_TRUE(problem.arguments[0].special);
  EXPECT_TRUE(problem.arguments[0].special->nan && problem.arguments[0].special->inferred);
  edit("shape: [n, width]}\n  - {name: y", "shape: [n, width], special: []}\n  - {name: y");
  EXPECT_FALSE(load().arguments[0].special->nan);
}

TEST_F(ArgumentContents, WrongRangesAndSpecialValuesAreNamedWithTheirLine) {
  expect(error_of_x("range: [0, 1]"), "only a scalar has a range", 6);
  expect(error_of_x("special: [nam]"), "did you mean 'nan'?", 6);
  expect(error("shape: [n, width], strides", "special: [nan], shape: [n, width], strides"),
         "only an input or an inout", 7);
  const auto with_range = [&](const std::string& range) {
    return error("args:\n",
                 "args:\n  - {name: o, role: scalar, dtype: i32, value: 3, range: " + range + "}\n");
  };
  expect(with_range("[1]"), "[LEAST, LARGEST]", 6);
  expect(with_range("[2, 1]"), "less than the least", 6);
}

TEST_F(ArgumentContents, WrongRolesAreNamedWithTheirLine) {
  expect(error("role: output", "role: inoutt"), "did you mean 'inout'?", 7);
  expect(error("shape: [n, width], strides", "befor: zero, shape: [n, width], strides"),
         "did you mean 'before'?", 7);
  expect(error("shape: [n, width], strides", "before: zeros, shape: [n, width], strides"),
         "did you mean 'zero'?", 7);
  expect(error_of_x("before: zero"), "only an output", 6);
  expect(error_of_x("unwritten: keep"), "before: zero, or the role inout", 6);
  expect(error("shape: [n, width], strides", "unwritten: keep, shape: [n, width], strides"),
         "before: zero, or the role inout", 7);
  expect(error("shape: [n, width], strides", "fixed: true, shape: [n, width], strides"),
         "only a scalar can be fixed", 7);
  expect(error("shape: [n, width], strides", "unused: true, shape: [n, width], strides"),
         "only an input or a scalar", 7);
  expect(error("shape: [n, width], strides", "fill: normal, shape: [n, width], strides"),
         "only an input or an inout", 7);
}

TEST_F(ArgumentContents, AnOutputNeedNotBeReproducible) {
  EXPECT_TRUE(load().arguments[1].reproducible);
  edit("name: y, role: output", "name: y, reproducible: false, role: output");
  const model::Problem problem = load();
  EXPECT_FALSE(problem.arguments[1].reproducible);
  const auto bound = bind(problem, 5);
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_TRUE(bound->arguments[0].reproducible);
  EXPECT_FALSE(bound->arguments[1].reproducible);
  expect(error_of_x("reproducible: false"), "only an output or an inout", 6);
  expect(error("dtype: f32, shape: [n, width], strides", "dtype: i32, shape: [n, width], strides"),
         "integers are the same in any order", 7);
}

TEST_F(ArgumentContents, AnExpressionMaySayWhatAnInoutBecomes) {
  edit("name: y, role: output", "name: y, role: inout");
  edit("oracle: {kernel: naive.cu}", "oracle: {expression: \"y[i, j] = y[i, j] + x[i, j]\"}");
  EXPECT_EQ(load().arguments[1].role, ArgumentRole::inout);
  expect(error("y[i, j] = y", "z[i, j] = y"), "no statement gives the output y", 10);
}

TEST_F(ArgumentContents, AnOracleOfTheCatalogueKnowsNoInout) {
  edit("role: output", "role: inout");
  expect(error("oracle: {kernel: naive.cu}", "oracle: copy"), "the oracle copy knows no inout", 7);
}

TEST_F(ArgumentContents, FillsAreNumbersOrExpressions) {
  const auto fill_of = [&](const std::string& text) {
    edit("shape: [n, width]}", "shape: [n, width], fill: " + text + "}");
    const model::Problem problem = load();
    edit("shape: [n, width], fill: " + text + "}", "shape: [n, width]}");
    const auto bound = bind(problem, 8);
    if (!bound) throw std::runtime_error(bound.error().text());
    return *bound->arguments[0].fill;
  };
  EXPECT_EQ(fill_of("{uniform: [0.5, 1e3]}").b, 1000);
  EXPECT_EQ(fill_of("{integers: [-n, 2 * n - 1]}").a, -8);
  EXPECT_EQ(fill_of("{integers: [-n, 2 * n - 1]}").b, 15);
  EXPECT_EQ(fill_of("{permutation: n * width}").form, FillForm::permutation);
  EXPECT_EQ(fill_of("{offsets: 3 * n}").a, 24);
  EXPECT_EQ(fill_of("{offsets: 3 * n}").b, 0);
  EXPECT_EQ(fill_of("{offsets: [3 * n, 2]}").a, 24);
  EXPECT_EQ(fill_of("{offsets: [3 * n, 2]}").b, 2);
  EXPECT_EQ(fill_of("{zipf: [n, 1.5]}").b, 1.5);
  EXPECT_EQ(fill_of("{constant: -0.25}").a, -0.25);
  EXPECT_EQ(fill_of("{normal: [60, 15]}").low(), 0);
  EXPECT_EQ(fill_of("normal").b, 1);
  EXPECT_THROW((void)fill_of("{integers: [n, 0]}"), std::runtime_error);
}

TEST_F(ArgumentContents, AFillThatCannotBeIsNamedWithItsLine) {
  const auto binding = [&](const std::string& from, const std::string& to) {
    edit(from, to);
    const auto bound = bind(load(), 8);
    edit(to, from);
    return bound ? "no error" : bound.error().text();
  };
  const std::string x = "dtype: f32, shape: [n, width]}";
  const auto x_with = [](const std::string& dtype, const std::string& fill) {
    return "dtype: " + dtype + ", shape: [n, width], fill: " + fill + "}";
  };
  for (const auto& [dtype, fill, part] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"i32", "{integers: [n, 7]}", "8 is above 7"},
           {"u8", "{integers: [0, 300]}", "more than u8 holds"},
           {"i32", "{integers: [0.5, 2]}", "not both integers"},
           {"i32", "{permutation: n}", "16 elements"},
           {"i32", "{zipf: [0, 1.5]}", "at least 1"},
           {"bool", "{constant: 2}", "more than bool holds"},
           {"u8", "{ramp: [0, 20]}", "more than u8 holds"},
           {"i32", "{distinct: [0, 14]}", "fewer than the 16 elements"},
           {"i32", "{distinct: [0, 20.5]}", "not both integers"},
           {"i32", "{offsets: [3, 4]}", "1 rows of at least 4 are more than 3"},
           {"i32", "{offsets: [9, 0.5]}", "no number of elements"},
           {"f32", "{normal: [0, -1]}", "below 0"}}) {
    const std::string text = binding(x, x_with(dtype, fill));
    EXPECT_NE(text.find(part), std::string::npos) << fill << ": " << text;
    EXPECT_NE(text.find("problem.yaml:6"), std::string::npos) << text;
  }
}

TEST_F(ArgumentContents, WrongFillsAreNamedWithTheirPlace) {
  expect(error_of_x("fill: {unifrm: [0, 1]}"), "did you mean 'uniform'?", 6);
  expect(error_of_x("fill: uniform"), "the fill uniform takes numbers", 6);
  expect(error_of_x("fill: npy"), "the fill npy takes a file", 6);
  expect(error_of_x("fill: gaussian"), "normal", 6);
  expect(error_of_x("fill: {uniform: [0, 1], constant: 1}"), "one form", 6);
  expect(error_of_x("fill: {uniform: [0]}"), "a list of two", 6);
  expect(error_of_x("fill: {offsets: [0, 1, 2]}"), "[n, least]", 6);
  expect(error_of_x("fill: {permutation: [0, 1]}"), "one number", 6);
  expect(error_of_x("fill: {integers: [0, m - 1]}"), "unknown name 'm'", 6);
  expect(error_of_x("fill: {column: [z, 0]}"), "'z'", 6);
  expect(error_of_x("fill: {column: [x, 0]}"), "no column of itself", 6);
  expect(error_of_x("fill: {ends: [x, n]}"), "name another argument", 6);
  expect(error_of_x("fill: {lengths: n}"), "[ARGUMENT, n]", 6);
  expect(error_of_x("fill: {npy: gone.npy}"), "gone.npy cannot be read", 6);
  expect(error("kind: ones}", "kind: ones, fill: {y: {uniform: [0, 1]}}}"), "fill.y", 13);
  expect(error("kind: ones}", "kind: ones, fill: {x: {unifrom: [0, 1]}}}"), "did you mean 'uniform'?", 13);
  expect(error("{name: ones, kind: ones}", "{name: normal, kind: ones, fill: {x: normal}}"),
         "two input sets are called normal", 13);
}

TEST_F(ArgumentContents, AnAlignmentIsAPowerOfTwo) {
  expect(error_of_x("align: 12"), "a power of two", 6);
  expect(error_of_x("align: 256"), "1 to 128", 6);
  edit("shape: [n, width]}\n  - {name: y", "shape: [n, width], align: 16}\n  - {name: y");
  const auto bound = bind(load(), 4);
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->arguments[0].alignment, 16);
  EXPECT_EQ(bound->arguments[1].alignment, 0);
}

TEST_F(ArgumentContents, AnInputSetMayNameOtherContents) {
  edit("shape: [n, width]}", "shape: [n, width], fill: {uniform: [0, 1]}}");
  edit("kind: ones}", "kind: ones, fill: {x: {constant: 3}}}");
  const auto bound = bind(load(), 4);
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->arguments[0].fill_in("normal")->form, FillForm::uniform);
  EXPECT_EQ(bound->arguments[0].fill_in("ones")->form, FillForm::constant);
  EXPECT_EQ(bound->arguments[0].fill_in("any other")->form, FillForm::uniform);
}

TEST_F(ArgumentContents, ARecordingCountsAsTextOfTheProblem) {
  files.write("kernels/copy/x.npy", npy("<f4", "2, 3", raw<float>({1, 2, 3, 4, 5, 6})));
  edit("shape: [n, width]}", "shape: [n, width], fill: {npy: x.npy}}");
  const model::Problem first = load();
  ASSERT_TRUE(first.arguments[0].fill->recording);
  EXPECT_EQ(first.arguments[0].fill->recording->shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(first.arguments[0].fill->recording->values[5], 6);
  files.write("kernels/copy/x.npy", npy("<f4", "2, 3", raw<float>({1, 2, 3, 4, 5, 7})));
  EXPECT_NE(load().content_hash, first.content_hash);
  files.write("kernels/copy/x.npy", npy("<f4", "6,", raw<float>({1, 2, 3, 4, 5, 7})));
  const auto bound = bind(load(), 4);
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().text().find("1 dimensions ([6])"), std::string::npos) << bound.error().text();
}

TEST(Npy, ReadsPlainNumbers) {
  const auto values = [](const std::string& text) { return recording_of(text).value().values; };
  EXPECT_EQ(values(npy("<f8", "2,", raw<double>({0.5, -2}))), (std::vector<double>{0.5, -2}));
  EXPECT_EQ(values(npy("<f2", "2,", raw<std::uint16_t>({0x3c00, 0xc000}))), (std::vector<double>{1, -2}));
  EXPECT_EQ(values(npy("<i2", "1,", raw<std::int16_t>({-7}))), (std::vector<double>{-7}));
  EXPECT_EQ(values(npy("|u1", "1,", raw<std::uint8_t>({200}))), (std::vector<double>{200}));
  EXPECT_EQ(values(npy("|b1", "2,", raw<std::uint8_t>({0, 1}))), (std::vector<double>{0, 1}));
  EXPECT_EQ(values(npy("<f4", "2, 2", raw<float>({1, 2, 3, 4}), "True")), (std::vector<double>{1, 3, 2, 4}))
      << "Fortran's order";
  EXPECT_EQ(recording_of(npy("<i8", "", raw<std::int64_t>({5})))->values, (std::vector<double>{5}));
}

TEST(Npy, SaysWhatItCannotRead) {
  const auto says = [](const std::string& text, const std::string& part) {
    const auto array = recording_of(text);
    ASSERT_FALSE(array) << part;
    EXPECT_NE(array.error().message.find(part), std::string::npos) << array.error().message;
  };
  says("PK\x03\x04 and more text", "no .npy file");
  says(npy(">f4", "1,", raw<float>({1})), "big-endian");
  says(npy("<c8", "1,", raw<double>({1})), "c8");
  says(npy("<f4", "3,", raw<float>({1, 2})), "3 elements are announced, 8 bytes");
  says(npy("<f4", "0,", ""), "no elements");
  says(npy("<f4", "1,", raw<float>({std::numeric_limits<float>::infinity()})), "element 0 is not finite");
  says(npy("<f4", "1,", raw<float>({1})).substr(0, 20), "cut off");
}

}  // namespace
}  // namespace evo::config
