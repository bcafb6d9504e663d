// Scalars that the user tells by sizes, and indices of several dimensions in one number.
#include <fmt/format.h>
#include <set>

#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

const std::string copies_rows = own_element + "  if (i < rows) y[i] = 2 * x[4 * i];\n";
const std::string of_rows = "(const float* x, float* y, int rows)";

TEST_F(Drafts, ALaunchIsWrittenWithToldSizes) {
  request.grid = "ceil_div(rows, BLOCK)";
  const Draft draft = both(of_rows, copies_rows, {"n=64 multiple_of=4"}, {"rows: n / 4", "y: [n / 4]"});
  EXPECT_EQ(draft.launch.grid, Sizes{"ceil_div((n / 4), BLOCK)"});
  EXPECT_EQ(argument_of(draft, "rows").value, "n / 4");
}

// No other number is shown of what a launch is written with, as the launch could not follow it.
TEST_F(Drafts, ALaunchIsWrittenWithToldNumbersThatAreFixed) {
  request.grid = "ceil_div(rows, BLOCK)";
  const Draft draft = both(of_rows, copies_rows, {"n=64"}, {"rows: 16", "y: [n]", "x: [64]"});
  EXPECT_EQ(draft.launch.grid, Sizes{"ceil_div(16, BLOCK)"});
  EXPECT_EQ(key_of(draft, "rows", "fixed"), "true");
  EXPECT_TRUE(std::ranges::any_of(
      draft.notes, [](const std::string& note) { return note.find("--axis rows=16") != std::string::npos; }));
}

TEST_F(Drafts, ALaunchIsNotWrittenWithNumbersOfARange) {
  request.grid = "ceil_div(rows, BLOCK)";
  const std::string says = asked([&] {
    return both(of_rows, copies_rows, {"n=64"}, {"rows: {value: 16, range: [1, 16]}", "y: [n]", "x: [64]"});
  });
  EXPECT_NE(says.find("--axis rows=16"), std::string::npos) << says;
}

// The launch calls it what the problem will, and the flag by its path.
TEST_F(Drafts, ALaunchIsNotWrittenWithAMemberThatIsANumber) {
  request.grid = "ceil_div(rows, BLOCK)";
  const std::string parts = "struct Size { int rows, step; };\n";
  const std::string code = "(const float* x, float* y, Size size) {\n  " + own_element +
                           "  if (i < size.rows) y[i] = 2 * x[size.step * i];\n}\n";
  const std::string says = asked([&] {
    return of(parts + "__global__ void k" + code, parts + "__global__ void reference" + code, {"n=64"},
              {"size: {rows: 16, step: {value: 4, fixed: true}}", "y: [n]", "x: [64]"});
  });
  EXPECT_NE(says.find("--axis rows=16"), std::string::npos) << says;
}

TEST_F(Drafts, WhatIsToldNamesNoNumberOfARange) {
  const std::string says = asked([&] {
    return both("(const float* x, float* y, int n, int all, int step)",
                own_element + "  if (i < all) y[i] = x[i] + step;\n", {"n=64"},
                {"all: n / step", "step: {value: 4, range: [1, 4]}", "x: [n]", "y: [n]"});
  });
  EXPECT_NE(says.find("--axis step=4"), std::string::npos) << says;
}

// A pointer behind a switch that is off, as scalars are told.
TEST_F(Drafts, AnArrayThatNobodyTouchesIsOneElement) {
  request.grid = "ceil_div(n, BLOCK)";
  const Draft draft =
      of("__global__ void k(const float* x, const float* other, float* y, int n, int use) {\n  " +
             own_element + "  if (i < n) y[i] = 2 * x[i] + (use ? other[i] : 0.0f);\n}\n",
         "__global__ void reference(const float* x, float* y, int n) {\n  " + own_element +
             "  if (i < n) y[i] = 2 * x[i];\n}\n",
         {"n=64", "m=32"}, {"use: 0"});
  EXPECT_EQ(shape_of(draft, "other"), Sizes{"1"});
  EXPECT_EQ(argument_of(draft, "other").role, "workspace");
  EXPECT_EQ(shape_of(draft, "x"), Sizes{"n"});
}

// What a macro of a header calls its parameter is no choice; a macro that it asks for, or leaves open, is
// one.
TEST_F(Drafts, AGeneIsNoParameterOfAHeadersMacro) {
  (void)written("part.cuh",
                "#define TWICE(width) (2 * (width))\n"
                "#if WIDE\n#define LANES 4\n#else\n#define LANES 2\n#endif\n"
                "__device__ inline int deep(int i) { return i / DEPTH * DEPTH; }\n");
  const std::string kernel =
      "#include \"part.cuh\"\n__global__ void k(const float* x, float* y, int n) {\n  " + own_element +
      "  if (TWICE(i) < 2 * n) y[i] = deep(LANES) * x[i];\n}\n";
  const std::string reference = "__global__ void reference(const float* x, float* y, int n) {\n  " +
                                own_element + "  if (i < n) y[i] = 2 * x[i];\n}\n";
  request.genes = {"BLOCK=64", "WIDE=0", "DEPTH=2"};
  EXPECT_EQ(of(kernel, reference, {"n=64"}).genes.size(), 3U);
  request.genes = {"BLOCK=64", "DEPTH=2", "width=1,2"};
  const std::string says = asked([&] { return of(kernel, reference, {"n=64"}); });
  EXPECT_NE(says.find("--gene width"), std::string::npos) << says;
}

TEST_F(Drafts, WhatIsToldNamesWhatElseIsTold) {
  request.grid = "ceil_div(all, BLOCK)";
  const Draft draft =
      both("(const float* x, float* y, int all, int rows, int columns, int step)",
           own_element + "  if (i < all) y[i] = x[i / columns * step * columns + i % columns] + rows;\n",
           {"n=64 multiple_of=4", "columns=6"},
           {"all: rows * columns", "step: 4", "rows: n / step", "x: [n, columns]", "y: [rows, columns]"});
  EXPECT_EQ(argument_of(draft, "rows").value, "n / 4");
  EXPECT_EQ(argument_of(draft, "all").value, "(n / 4) * columns");
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"(n / 4)", "columns"}));
  EXPECT_EQ(key_of(draft, "step", "fixed"), "true");
}

// All sides of an output are what scalars were told to be.
TEST_F(Drafts, AnOutputOfSeveralToldSizes) {
  const Draft draft =
      both("(const float* x, float* y, int h, int w, int rows, int columns)",
           own_element + "  if (i < rows * columns) y[i] = x[i / columns * 2 * w + i % columns * 2];\n",
           {"h=20", "w=30"}, {"rows: (h - 3) / 2 + 1", "columns: (w - 3) / 2 + 1", "x: [h, w]"});
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"(h - 3) / 2 + 1", "(w - 3) / 2 + 1"}));
}

TEST_F(Drafts, SortedAloneIsOfNumbersLikeOthers) {
  const std::string merges = own_element + "  if (i < n) y[i] = a[i] < b[i] ? a[i] : b[i] + (int)f[i];\n";
  const Draft draft = both("(const int* a, const unsigned* b, const float* f, int* y, int n)", merges,
                           {"n=64"}, {"a: {fill: sorted}", "b: {fill: sorted}", "f: {fill: sorted}"});
  EXPECT_EQ(key_of(draft, "a", "fill"), "{sorted: [-100, 100]}");
  EXPECT_EQ(key_of(draft, "b", "fill"), "{sorted: [0, 200]}");
  EXPECT_EQ(key_of(draft, "f", "fill"), "{sorted: [-4, 4]}");
}

// The count of blocks is the kernel's gridDim.x, and its reference has to be told; of so few elements as
// other looks take there is one block.
TEST_F(Drafts, WhatTheReferenceAloneTakesIsTold) {
  request.genes = {};
  request.block = "32";
  request.grid = "ceil_div(n, 2048)";
  const Draft draft =
      of("__global__ void k(const float* x, float* sums, int n) {\n"
         "  if (threadIdx.x < 4) {\n    float sum = 0;\n"
         "    for (int i = blockIdx.x * 2048 + threadIdx.x; i < n && i < (blockIdx.x + 1) * 2048; i += 4)\n"
         "      sum += x[i];\n    sums[threadIdx.x * gridDim.x + blockIdx.x] = sum;\n  }\n}\n",
         "__global__ void reference(const float* x, float* sums, int n, int parts) {\n"
         "  for (int i = 0; i < 4 * parts; ++i) sums[i] = 0;\n"
         "  for (int i = 0; i < n; ++i) sums[i % 4 * parts + i / 2048] += x[i];\n}\n",
         {"n=10000"}, {"parts: ceil_div(n, 2048)"});
  const DraftArgument& parts = argument_of(draft, "parts");
  EXPECT_TRUE(parts.reference_only);
  EXPECT_EQ(parts.value, "ceil_div(n, 2048)");
  EXPECT_EQ(shape_of(draft, "sums"), Sizes{"4 * ceil_div(n, 2048)"});
}

TEST_F(Drafts, ANameOfTheReferenceForWhatGoesByItsPlaceIsNoneToTell) {
  const std::string says = asked([&] {
    return of("__global__ void k(const float* x, float* y, int n) { y[0] = x[0]; }\n",
              "__global__ void reference(const float* a, float* b, int count) { b[0] = a[0]; }\n", {"n=64"},
              {"count: 5"});
  });
  EXPECT_NE(says.find("has no parameter 'count'"), std::string::npos) << says;
}

TEST_F(Drafts, ATextureOfTheReferenceIsAskedForAsItsArray) {
  const std::string kernel = "__global__ void k(cudaTextureObject_t image, float* y, int n) {\n  " +
                             own_element + "  if (i < n) y[i] = tex1Dfetch<float>(image, i);\n}\n";
  const std::string reference =
      "__global__ void reference(cudaTextureObject_t image, float* y, int n) { y[0] = 0; }\n";
  try {
    (void)of(kernel, reference, {"n=64"});
    ADD_FAILURE() << "a reference takes no texture";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
    EXPECT_NE(std::string(error.what()).find("const float* image"), std::string::npos) << error.what();
  }
}

// Its arrays are converted to char*: that they are of other types without that is no error of its own. What a
// template lacks the compiler sees only where it is called with what it takes.
TEST_F(Drafts, WhatAReferenceOfOtherTypesLacksIsSaid) {
  for (const std::string reference :
       {"__global__ void reference(const char* x, char* y, int n) { y[0] = nowhere; }\n",
        "template <class T> __global__ void reference(const char* x, char* y, int n) { y[0] = nowhere(T(n)); "
        "}\n"}) {
    try {
      (void)of("__global__ void k(const char* x, char* y, int n) { y[0] = x[0]; }\n", reference, {"n=64"});
      ADD_FAILURE() << "it does not compile";
    } catch (const model::Exception& error) {
      EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos) << error.what();
    }
  }
}

// Too great an index leads back into the array: k * rows is row 0 of the next column.
TEST_F(Drafts, IndicesOfSeveralDimensionsInOneNumber) {
  const Draft draft = both("(const int* id, const float* x, float* y, int rows, int k)",
                           own_element + "  if (i < rows * k) y[i] = x[id[i] % k * rows + id[i] / k];\n",
                           {"rows=40", "k=12"}, {"id: [rows, k]", "x: [k, rows]", "y: [rows, k]"});
  EXPECT_EQ(key_of(draft, "id", "fill"), "{integers: [0, rows * k - 1]}");
}

// From the last column to the first: four times as many numbers would do if all were the same one.
TEST_F(Drafts, IndicesOfSeveralDimensionsOfWhichTheGreatestLeadsToTheFirst) {
  const std::string parts = "(const int* id, const float* x, float* y, int rows{}) {{\n  " + own_element +
                            "  if (i < rows) y[i] = x[(K - 1 - id[i] % K) * rows + id[i] / K];\n}}\n";
  const Draft draft = of("#define K 4\n__global__ void k" + fmt::format(fmt::runtime(parts), ""),
                         "__global__ void reference" + fmt::format(fmt::runtime(parts), ", int K"),
                         {"rows=40", "K=4"}, {"id: [rows]", "x: [K, rows]", "y: [rows]"});
  EXPECT_EQ(key_of(draft, "id", "fill"), "{integers: [0, rows * K - 1]}");
}

TEST_F(Drafts, AFixedCountOfVectorsIsTwiceAsManyNumbers) {
  request.genes = {};
  request.block = "96";
  request.grid = "n";
  const Draft draft = both("(const float2* x, float2* y, int n, int m)",
                           "const int i = blockIdx.x * 96 + threadIdx.x;\n"
                           "  if (i < 96 * n) y[i] = make_float2(x[i].y, m * x[i].x);\n",
                           {"n=8", "m=6"});
  EXPECT_EQ(shape_of(draft, "x"), Sizes{"192 * n"});
  EXPECT_EQ(shape_of(draft, "y"), Sizes{"192 * n"});
}

// Of fewer indices than places the last ones lead to the end.
TEST_F(Drafts, PlacesThatAreToldSayHowLargeACacheIs) {
  request.grid = "ceil_div(n, BLOCK)";
  const Draft draft = both(
      "(const float* x, float* cache, const int* slot, int n, int d)",
      own_element + "  if (i < n)\n    for (int k = 0; k < d; ++k) cache[slot[i] * d + k] = x[i * d + k];\n",
      {"n=40", "d=16", "blocks=8", "size=10"}, {"slot: {fill: {distinct: [0, blocks * size - 1]}}"});
  Sizes cache = shape_of(draft, "cache");
  std::ranges::sort(cache);
  EXPECT_EQ(cache, (Sizes{"blocks", "d", "size"}));
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"n", "d"}));
}

// Words of a key that are all alike hide which of them a kernel takes.
TEST_F(Drafts, IntegersThatEvoDrawsDiffer) {
  const Draft draft = both("(const int* x, int* y, int a, int b, int c, int n)",
                           own_element + "  if (i < n) y[i] = ((x[i] ^ a) + b) * c;\n", {"n=300"});
  std::set<std::string> values;
  for (const char* name : {"a", "b", "c"}) values.insert(argument_of(draft, name).value);
  EXPECT_EQ(values.size(), 3U);
  EXPECT_FALSE(values.contains("0") || values.contains("1"));
}

// A state of eight words is no eight times the only axis.
TEST_F(Drafts, WordsOfAStateDiffer) {
  const std::string state = "struct State { unsigned w[8]; };\n";
  const std::string body = "(const unsigned* x, unsigned* y, State s, int n) {\n" + own_element +
                           "  if (i >= n) return;\n  unsigned sum = i;\n"
                           "  for (int k = 0; k < 8; ++k) sum = (sum ^ s.w[k]) + (s.w[(k + 1) % 8] >> k);\n"
                           "  y[i] = sum ^ x[i];\n}\n";
  const Draft draft =
      of(state + "__global__ void k" + body, state + "__global__ void reference" + body, {"n=300"});
  std::set<std::string> values;
  for (const DraftArgument& argument : draft.arguments) {
    if (argument.name.starts_with("w_")) values.insert(argument.value);
  }
  EXPECT_EQ(values.size(), 8U);
  EXPECT_FALSE(values.contains("n"));
}

TEST_F(Drafts, AMacroThatTheBuildDefinesMayBeAGene) {
  const std::string code = "#ifndef USE_HALF\n#error \"the build defines it\"\n#endif\n";
  const std::string head = "(const float* x, float* y, int n) {\n";
  const std::string body = own_element + "  if (i < n) y[i] = 2 * x[i];\n}\n";
  std::string said;
  try {
    (void)of(code + "__global__ void k" + head + body, "__global__ void reference" + head + body, {"n=300"});
  } catch (const model::Exception& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("--gene NAME=1"), std::string::npos) << said;
  request.genes.push_back("USE_HALF=1");
  EXPECT_EQ(shape_of(of(code + "__global__ void k" + head + body, "__global__ void reference" + head + body,
                        {"n=300"}),
                     "y"),
            (Sizes{"n"}));
}

TEST_F(Drafts, AMacroOfAHeaderMayBeAGene) {
  (void)written("config.h", "#pragma once\n#ifndef USE_HALF\n#error \"the build defines it\"\n#endif\n");
  const std::string body =
      "(const float* x, float* y, int n) {\n" + own_element + "  if (i < n) y[i] = 2 * x[i];\n}\n";
  request.genes.push_back("USE_HALF=1");
  const Draft draft =
      of("#include \"config.h\"\n__global__ void k" + body, "__global__ void reference" + body, {"n=300"});
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"n"}));
}

// Sizes and rates that a host copies into constant memory, one variable each, of a header.
TEST_F(Drafts, AVariableInConstantMemoryIsToldAsAScalarIs) {
  (void)written("sizes.cuh", "__constant__ int width;\n__constant__ float rate;\n");
  const Draft draft = of("#include \"sizes.cuh\"\n__global__ void k(const float* x, float* y, int n) {\n  " +
                             own_element + "  if (i < n * width) y[i] = rate * x[i];\n}\n",
                         "__global__ void reference(const float* x, float* y, const int* width, const float* "
                         "rate, int n) {\n  " +
                             own_element + "  if (i < n * *width) y[i] = *rate * x[i];\n}\n",
                         {"n=30", "w=20"}, {"width: w", "rate: 0.25", "x: [n, w]", "y: [n, w]"});
  EXPECT_EQ(key_of(draft, "width", "fill"), "{integers: [w, w]}");
  EXPECT_EQ(key_of(draft, "width", "neutral"), "true");
  EXPECT_EQ(key_of(draft, "rate", "fill"), "{uniform: [0.125, 0.375]}") << "no number of the code";
  EXPECT_EQ(key_of(draft, "rate", "neutral"), "");
  EXPECT_EQ(shape_of(draft, "width"), Sizes{"1"});
  EXPECT_NE(asked([&] {
              return of("#include \"sizes.cuh\"\n__global__ void k(float* y, int n) { y[0] = width; }\n",
                        "__global__ void reference(float* y, const int* width, int n) { y[0] = *width; }\n",
                        {"n=30"}, {"widht: 3"});
            }),
            "");
}

}  // namespace
}  // namespace evo::intake
