// Rows of a few numbers of which each leads to an axis of its own, and what many axes say of indices.
#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

std::string fill_of(const Draft& draft, const std::string& array, const std::string& field) {
  for (const DraftField& each : argument_of(draft, array).fields) {
    if (each.name != field) continue;
    for (const auto& [key, value] : each.keys) {
      if (key == "fill") return value;
    }
  }
  return {};
}

const std::string of_a_box = own_element +
                             "  if (i >= n * w) return;\n  const float* box = boxes + i / w * 4;\n"
                             "  out[i] = images[(int)box[0] * w + i % w] * box[1] + box[2] * box[3];\n";

// A box, and the image that it is of: the first number leads somewhere, and the others do not.
TEST_F(Drafts, OneNumberOfEachRowIsAnIndex) {
  const Draft draft = both("(const float* boxes, const float* images, float* out, int n, int b, int w)",
                           of_a_box, {"n=40", "b=3", "w=20"}, {"boxes: [n, 4]", "images: [b, w]"});
  EXPECT_EQ(shape_of(draft, "boxes"), Sizes{"n"});
  EXPECT_EQ(fill_of(draft, "boxes", "c0"), "{integers: [0, b - 1]}");
  ASSERT_EQ(argument_of(draft, "boxes").fields.size(), 2U);
  EXPECT_EQ(argument_of(draft, "boxes").fields[1].lanes, 3);
}

// The row of a place alone leads further than its column, and the column than the row where that is 0.
TEST_F(Drafts, EachNumberOfARowIsAnIndexOfItsOwn) {
  const Draft draft =
      both("(const int* places, const float* image, float* out, int n, int h, int w)",
           own_element +
               "  if (i >= n) return;\n"
               "  out[i] = 2 * image[places[i * 3 + 2] * w + places[i * 3]] + places[i * 3 + 1];\n",
           {"n=40", "h=30", "w=20"}, {"places: [n, 3]", "image: [h, w]"});
  EXPECT_EQ(fill_of(draft, "places", "c0"), "{integers: [0, w - 1]}");
  EXPECT_EQ(fill_of(draft, "places", "c1"), "");
  EXPECT_EQ(fill_of(draft, "places", "c2"), "{integers: [0, h - 1]}");
}

// The least of the axes is no range of all, though each number stays in bounds with it at the sizes of a
// look.
TEST_F(Drafts, TheLeastOfSeveralAxesIsNoRangeOfAll) {
  const Draft draft = both("(const int* places, float* image, int n, int b, int d, int w)",
                           own_element +
                               "  if (i >= n) return;\n  const int* p = places + 3 * i;\n"
                               "  atomicAdd(&image[(p[2] * d + p[1]) * w + p[0]], 1.0f);\n",
                           {"n=40", "b=4", "d=1", "w=20"},
                           {"places: [n, 3]", "image: {shape: [b, d, w], reproducible: false}"});
  EXPECT_EQ(fill_of(draft, "places", "c0"), "{integers: [0, w - 1]}");
  EXPECT_EQ(fill_of(draft, "places", "c1"), "{integers: [0, d - 1]}");
  EXPECT_EQ(fill_of(draft, "places", "c2"), "{integers: [0, b - 1]}");
}

TEST_F(Drafts, BothEndsOfAnEdgeHaveOneRange) {
  const Draft draft = both("(const int* edges, const float* x, float* y, int n, int e)",
                           own_element + "  if (i < e) y[i] = x[edges[2 * i]] - 2 * x[edges[2 * i + 1]];\n",
                           {"n=40", "e=90"}, {"edges: [e, 2]", "x: [n]"});
  EXPECT_EQ(key_of(draft, "edges", "fill"), "{integers: [0, n - 1]}");
}

// With zeros or ones in all arrays no row has entries, and the ranks are not read.
TEST_F(Drafts, WhatIsReadOnlyOfRowsThatHaveEntries) {
  const Draft draft =
      both("(const unsigned* nodes, const unsigned* edges, const float* rank, float* out, int n, int nnz)",
           own_element +
               "  if (i >= n) return;\n  const int degree = nodes[i + 1] - nodes[i];\n"
               "  const float share = degree > 0 ? rank[i] / degree : 0;\n"
               "  for (int k = nodes[i]; k < nodes[i + 1]; ++k) atomicAdd(&out[edges[k]], share);\n",
           {"n=60", "nnz=300"}, {"out: {shape: [n], reproducible: false}"});
  EXPECT_EQ(shape_of(draft, "rank"), Sizes{"n"});
  EXPECT_EQ(key_of(draft, "nodes", "fill"), "{offsets: nnz}") << "whatever its name";
  EXPECT_EQ(key_of(draft, "edges", "fill"), "{integers: [0, n - 1]}");
}

TEST_F(Drafts, AQuestionForAShapeSaysHowFarItGoes) {
  const std::string said = asked([&] {
    return both("(const float* x, float* y, int n)", own_element + "  if (i < n) y[i] = x[i * (i % 3)];\n",
                {"n=40"});
  });
  EXPECT_NE(said.find("elements"), std::string::npos) << said;
}

TEST_F(Drafts, WhatIsToldOfANumberOfEachRowHolds) {
  const Draft draft = both("(const float* boxes, const float* images, float* out, int n, int b, int w)",
                           of_a_box, {"n=40", "b=3", "w=20"},
                           {"boxes: [n, 4]", "images: [b, w]", "boxes[0]: {fill: {integers: [0, 1]}}"});
  EXPECT_EQ(fill_of(draft, "boxes", "c0"), "{integers: [0, 1]}");
  const Draft other = both("(const float* boxes, const float* images, float* out, int n, int b, int w)",
                           of_a_box, {"n=40", "b=3", "w=20"},
                           {"boxes: [n, 4]", "images: [b, w]", "boxes[].c0: {fill: {integers: [0, 1]}}"});
  EXPECT_EQ(fill_of(other, "boxes", "c0"), "{integers: [0, 1]}") << "as problem.yaml names it";
  const Draft whole =
      both("(const int* places, const float* image, float* out, int n, int h, int w)",
           own_element + "  if (i < n) out[i] = 2 * image[places[i * 2] * w + places[i * 2 + 1]];\n",
           {"n=40", "h=30", "w=20"},
           {"places: [n, 2]", "image: [h, w]", "places[0]: {fill: {integers: [0, 1]}}",
            "places[1]: {fill: {integers: [2, 3]}}"});
  EXPECT_EQ(fill_of(whole, "places", "c0"), "{integers: [0, 1]}");
  EXPECT_EQ(fill_of(whole, "places", "c1"), "{integers: [2, 3]}");
  EXPECT_TRUE(std::ranges::none_of(whole.notes, [](const std::string& note) {
    return note.find("places[") != std::string::npos;
  })) << "nothing else is found of them";
}

TEST_F(Drafts, WhatIsToldOfARowBehindAMacro) {
  const std::string rest = ", float* out, int n, int b, int w) {\n" + std::string(of_a_box) + "}\n";
  const Draft draft =
      of("#define IN const float*\n__global__ void k(IN boxes, IN images" + rest,
         "__global__ void reference(const float* boxes, const float* images" + rest, {"n=40", "b=3", "w=20"},
         {"boxes: [n, 4]", "images: [b, w]", "boxes[0]: {fill: {integers: [0, 1]}}"});
  EXPECT_EQ(fill_of(draft, "boxes", "c0"), "{integers: [0, 1]}");
}

TEST_F(Drafts, ANumberThatNoRowHasIsRefused) {
  const auto told = [&](const std::string& flag) {
    return asked([&] {
      return both("(const float* boxes, const float* images, float* out, int n, int b, int w)", of_a_box,
                  {"n=40", "b=3", "w=20"}, {"boxes: [n, 4]", "images: [b, w]", flag});
    });
  };
  EXPECT_NE(told("boxes[4]: {fill: {integers: [0, 1]}}").find("boxes[4]"), std::string::npos);
  EXPECT_NE(told("boxes[0]: [n]").find("boxes[0]"), std::string::npos);
  EXPECT_NE(told("out[0]: {fill: {integers: [0, 1]}}").find("out[0]"), std::string::npos);
  const std::string says = asked([&] {
    return both("(const float* x, float* out, int n)", own_element + "  if (i < 4 * n) out[i] = x[i];\n",
                {"n=40"}, {"out: [n, 4]", "out[0]: {fill: {integers: [0, 1]}}"});
  });
  EXPECT_NE(says.find("out[0]"), std::string::npos) << "of an output nothing is told beforehand";
}

// Three times each of five sizes are 243 times the elements: the next size of each says as much.
TEST_F(Drafts, IndicesOfFiveAxes) {
  const Draft draft = both("(const float* x, const int* idx, float* y, int b, int c, int n, int p, int s)",
                           own_element +
                               "  if (i >= b * c * p * s) return;\n"
                               "  const int at = idx[i / (c * p * s) * p * s + i % (p * s)];\n"
                               "  y[i] = 2 * x[i / (p * s) * n + at];\n",
                           {"b=2", "c=6", "n=50", "p=20", "s=4"}, {"x: [b, c, n]", "idx: [b, p, s]"});
  EXPECT_EQ(key_of(draft, "idx", "fill"), "{integers: [0, n - 1]}");
}

}  // namespace
}  // namespace evo::intake
