// Words for parts of a long row, arrays that two others lead into, and what flags say of one argument
// together.
#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

const std::string masked =
    "  const int words = (cols + 31) / 32;\n"
    "  if (i < rows * cols && (mask[i / cols * words + i % cols / 32] >> (i % cols % 32) & 1) == 0) y[i] = "
    "-1;\n";

TEST_F(Drafts, ARowOfBitsHasAsManyWordsAsItNeeds) {
  request.grid = "ceil_div(rows * cols, BLOCK)";
  const std::string head = "(float* y, const unsigned* mask, int rows, int cols)";
  const Draft draft = both(head, own_element + masked, {"rows=3", "cols=200"});
  EXPECT_EQ(shape_of(draft, "mask"), (Sizes{"rows", "ceil_div(cols, 32)"}));
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"rows", "cols"}));
  const Draft scaled = both("(float* y, const float* scale, int rows, int cols)",
                            own_element +
                                "  const int groups = (cols + 127) / 128;\n"
                                "  if (i < rows * cols) y[i] = scale[i / cols * groups + i % cols / 128];\n",
                            {"rows=3", "cols=200"});
  EXPECT_EQ(shape_of(scaled, "scale"), (Sizes{"rows", "ceil_div(cols, 128)"}));
}

TEST_F(Drafts, APartOfARowThatIsNoWordIsAskedFor) {
  request.grid = "ceil_div(rows * cols, BLOCK)";
  const std::string text = asked([&] {
    return both("(float* y, const float* scale, int rows, int cols)",
                own_element +
                    "  const int groups = (cols + 76) / 77;\n"
                    "  if (i < rows * cols) y[i] = scale[i / cols * groups + i % cols / 77];\n",
                {"rows=3", "cols=200"});
  });
  EXPECT_NE(text.find("scale"), std::string::npos) << "one a row it is at small sizes alone: " << text;
}

// With offsets of zeros no row has a place that leads anywhere.
TEST_F(Drafts, PlacesBetweenOffsetsLeadOn) {
  request.grid = "ceil_div(rows * entries, BLOCK)";
  const Draft draft = both(
      "(const int* ptr, const int* col, const float* w, const float* x, float* y, int rows, int cols, int "
      "nnz, "
      "int width, int entries)",
      own_element +
          "  if (i >= rows * entries) return;\n  float sum = 0;\n"
          "  for (int k = ptr[i % rows]; k < ptr[i % rows + 1]; ++k)\n    for (int j = 0; j < width; ++j)\n"
          "      sum += w[k * width + j] * x[(i / rows * cols + col[k]) * width + j];\n  y[i] = sum;\n",
      {"rows=40", "cols=30", "nnz=200", "width=5", "entries=4"});
  EXPECT_EQ(shape_of(draft, "w"), (Sizes{"nnz", "width"}));
  EXPECT_EQ(shape_of(draft, "col"), Sizes{"nnz"});
  EXPECT_EQ(argument_of(draft, "x").role, "input");
  Sizes sides = shape_of(draft, "x");
  std::ranges::sort(sides);
  EXPECT_EQ(sides, (Sizes{"cols", "entries", "width"}));
}

TEST_F(Drafts, FlagsOfOneArgumentSayItTogether) {
  const std::string body = own_element + "  if (i < n) y[i] = table[id[i]];\n";
  const std::string head = "(const int* id, const float* table, float* y, int n, int m)";
  const Draft draft =
      both(head, body, {"n=300", "m=40"}, {"id: [n]", "table: [m]", "id: {fill: {integers: [0, m - 1]}}"});
  EXPECT_EQ(shape_of(draft, "id"), Sizes{"n"});
  EXPECT_EQ(key_of(draft, "id", "fill"), "{integers: [0, m - 1]}");
}

TEST_F(Drafts, AVectorMayBeToldAsAList) {
  request.grid = "ceil_div(w * h, BLOCK)";
  const Draft draft = both("(const float* x, float* y, int3 size, int w, int h)",
                           own_element + "  if (i < size.x * size.y) y[i] = x[i] * size.z;\n",
                           {"w=30", "h=20"}, {"size: [w, h, 4]", "x: [h, w]", "y: [h, w]"});
  const auto value = [&](const std::string& path) {
    const auto found = std::ranges::find_if(
        draft.arguments, [&](const DraftArgument& argument) { return argument.place.path == path; });
    return found == draft.arguments.end() ? std::string() : found->value;
  };
  EXPECT_EQ(value("size.x"), "w");
  EXPECT_EQ(value("size.y"), "h");
  EXPECT_EQ(value("size.z"), "4");
}

// A candidate has to give the same answer whatever stands there.
TEST_F(Drafts, AnInputThatTheReferenceDoesNotTakeIsNeutral) {
  const Draft draft = of("__global__ void k(const float* x, const int* active, float* y, int n) {\n" +
                             own_element + "  if (i < n) y[i] = active[i] == 7 ? x[i] : x[i] + 0.0f;\n}\n",
                         "__global__ void reference(const float* x, float* y, int n) {\n" + own_element +
                             "  if (i < n) y[i] = x[i];\n}\n",
                         {"n=300"}, {"active: [n]"});
  EXPECT_EQ(key_of(draft, "active", "neutral"), "true");
  EXPECT_EQ(key_of(draft, "x", "neutral"), "");
}

// Under a flag that is told to be 0 nobody touches it: it is no input any more.
TEST_F(Drafts, WhatNobodyTouchesIsNoNeutralInput) {
  request.grid = "ceil_div(n * m, BLOCK)";
  const Draft draft =
      of("__global__ void k(const float* x, const float* mass, float* y, int n, int m, bool heavy) {\n" +
             own_element + "  if (i < n * m) y[i] = heavy ? x[i] * mass[i] : x[i];\n}\n",
         "__global__ void reference(const float* x, float* y, int n, int m) {\n" + own_element +
             "  if (i < n * m) y[i] = x[i];\n}\n",
         {"n=30", "m=20"}, {"heavy: 0"});
  EXPECT_EQ(argument_of(draft, "mass").role, "workspace");
  EXPECT_EQ(key_of(draft, "mass", "neutral"), "");
}

// 15 rows that are made 10 with the step of one: with any other the reference goes further, or less far.
TEST_F(Drafts, ARealNumberByTwoSizesIsReckonedAsItIsTold) {
  request.grid = "ceil_div(to, BLOCK)";
  const Draft draft = both("(const float* x, float* y, int from, int to, float step)",
                           own_element + "  if (i < to) y[i] = x[min((int)((i + 0.5f) * step), from - 1)];\n",
                           {"from=60", "to=25"}, {"step: 1.0 * from / to"});
  EXPECT_EQ(argument_of(draft, "step").value, "1.0 * from / to");
  EXPECT_EQ(shape_of(draft, "y"), Sizes{"to"});
}

// const int N = 33 * 1024;
TEST_F(Drafts, AConstantThatIsReckonedGivesWayToAnAxis) {
  request.grid = "ceil_div(N, BLOCK)";
  const Draft draft = of("const int N = 33 * 1024;\n__global__ void k(const float* x, float* y) {\n" +
                             own_element + "  if (i < N) y[i] = 2 * x[i];\n}\n",
                         "__global__ void reference(const float* x, float* y, int N) {\n" + own_element +
                             "  if (i < N) y[i] = 2 * x[i];\n}\n",
                         {"N=500"});
  EXPECT_EQ(shape_of(draft, "x"), Sizes{"N"});
  EXPECT_TRUE(text_of(draft, draft.source).find("\nconst int N") == std::string::npos &&
              !text_of(draft, draft.source).starts_with("const int N"))
      << text_of(draft, draft.source);
}

}  // namespace
}  // namespace evo::intake
