// Roles that are measured, sizes that nobody told, and threads with several elements.
#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

const std::string table_head = "(const float* x, float* table, int n)";

TEST_F(Drafts, ATableThatIsFilledBeforeItIsReadIsAnOutput) {
  // In the order of the code the load stands in front of the store.
  const std::string recurrence =
      "  for (int i = 0; i < n; ++i) {\n    float sum = x[i];\n    if (i > 0) sum += 0.5f * table[i - 1];\n"
      "    table[i] = sum;\n  }\n";
  request.block.clear();
  request.grid = "1";
  request.genes = {"THREADS=32"};
  const std::string kernel = "__global__ void k" + table_head +
                             " {\n  if (threadIdx.x > 0) return;\n  float sum = 0;\n"
                             "  for (int i = 0; i < n; ++i) {\n    sum = x[i] + 0.5f * sum;\n"
                             "    table[i] = sum + 0 * THREADS;\n  }\n}\n";
  const std::string reference = "__global__ void reference" + table_head + " {\n";
  const Draft draft = of(kernel, reference + recurrence + "}\n", {"n=40"});
  EXPECT_EQ(argument_of(draft, "table").role, "output");
  // What it holds before matters: at the first element alone, or where data says so.
  const Draft first = of(
      kernel, reference + "  float sum = table[0];\n" + recurrence + "  table[n - 1] += sum;\n}\n", {"n=40"});
  EXPECT_EQ(argument_of(first, "table").role, "inout");
  const Draft some =
      of(kernel, reference + "  for (int i = 0; i < n; ++i) table[i] = x[i] > 0.5f ? table[i] : x[i];\n}\n",
         {"n=40"});
  EXPECT_EQ(argument_of(some, "table").role, "inout");
  // Not all of it is written.
  const Draft part =
      of(kernel, reference + "  for (int i = 1; i < n; ++i) table[i] = i > 1 ? table[i - 1] : x[i];\n}\n",
         {"n=40"});
  EXPECT_EQ(argument_of(part, "table").role, "inout");
  const Draft told = of(kernel, reference + recurrence + "}\n", {"n=40"}, {"table: inout f32[n]"});
  EXPECT_EQ(argument_of(told, "table").role, "inout");
}

TEST_F(Drafts, IntegersThatAreFilledBeforeTheyAreReadAreAnOutput) {
  const std::string head = "(const int* x, int* count, int n)";
  request.grid = "1";
  const std::string kernel =
      "__global__ void k" + head + " { if (threadIdx.x < n) count[threadIdx.x] = x[0]; }\n";
  const std::string reference = "__global__ void reference" + head + " {\n  for (int i = 0; i < n; ++i) ";
  EXPECT_EQ(
      argument_of(of(kernel, reference + "count[i] = x[i] + (i > 0 ? count[i - 1] : 0);\n}\n", {"n=40"}),
                  "count")
          .role,
      "output");
  EXPECT_EQ(argument_of(of(kernel, reference + "count[i] = x[i] + (count[i] == 0 ? 1 : 2);\n}\n", {"n=40"}),
                        "count")
                .role,
            "inout");
}

const std::string fixed_head = "(const float* x, float* y) {\n";

TEST_F(Drafts, SizesThatTheCodeAloneSaysNeedNoAxis) {
  request.grid = "1";
  request.genes.clear();
  request.block = "64";
  const std::string kernel = "__global__ void k" + fixed_head + "  y[threadIdx.x] = x[threadIdx.x];\n}\n";
  const std::string reference =
      "__global__ void reference" + fixed_head + "  for (int i = 0; i < 64; ++i) y[i] = x[i];\n}\n";
  const Draft draft = of(kernel, reference, {}, {"x: [64]", "y: [64]"});
  ASSERT_EQ(draft.axes.size(), 1U);
  EXPECT_EQ(draft.axes.front().values, std::vector<std::int64_t>{1});
  EXPECT_EQ(shape_of(draft, "y"), Sizes{"64"});
  const std::string question = asked([&] { return of(kernel, reference, {}, {"x: [64]"}); });
  EXPECT_NE(question.find("--axis n=SIZE"), std::string::npos) << question;
  EXPECT_NE(question.find("--arg 'y: [...]'"), std::string::npos) << question;
  EXPECT_EQ(question.find("--arg 'x: [...]'"), std::string::npos) << question;
}

TEST_F(Drafts, AThreadMayHaveTwoElements) {
  // Each block writes its own part, and a block too many one that is not there.
  const std::string head = "(const float* x, float* y, float* last, int n)";
  const Draft draft = of("__global__ void k" + head +
                             " {\n  const int i = 2 * (blockIdx.x * BLOCK + threadIdx.x);\n"
                             "  if (i < n) y[i] = x[i];\n  if (i + 1 < n) y[i + 1] = x[i + 1];\n"
                             "  if (threadIdx.x == 0) last[blockIdx.x] = x[i];\n}\n",
                         "__global__ void reference" + head +
                             " {\n  for (int i = 0; i < n; ++i) y[i] = x[i];\n"
                             "  for (int i = 0; i < n; i += 128) last[i / 128] = x[i];\n}\n",
                         {"n=4096"}, {"last: [ceil_div(n, 128)]"});
  EXPECT_EQ(draft.launch.grid, Sizes{"ceil_div(n, 2 * BLOCK)"});
}

const std::string options = "struct Option { int kind; float strike, spot, rate; };\n";
const std::string option_head = "(const Option* options, float* y, int n)";

TEST_F(Drafts, AMemberThatIsToldIsAFieldOfItsOwn) {
  const std::string body =
      "  for (int i = threadIdx.x; i < n; i += 1024)\n    y[i] = options[i].kind == 0 ? options[i].strike : "
      "options[i].spot * options[i].rate;\n}\n";
  request.grid = "1";
  const std::string kernel = options + "__global__ void k" + option_head + " {\n" + body;
  const std::string reference = options + "__global__ void reference" + option_head + " {\n" + body;
  const auto names = [](const Draft& draft) {
    std::vector<std::string> all;
    for (const DraftField& field : argument_of(draft, "options").fields) all.push_back(field.name);
    return all;
  };
  EXPECT_EQ(names(of(kernel, reference, {"n=40"}, {"options: [n]"})), (Sizes{"kind", "strike"}));
  const Draft draft =
      of(kernel, reference, {"n=40"}, {"options: [n]", "options.spot: {fill: {uniform: [50, 150]}}"});
  EXPECT_EQ(names(draft), (Sizes{"kind", "strike", "spot", "rate"}));
  const DraftField& spot = argument_of(draft, "options").fields[2];
  EXPECT_EQ(spot.lanes, 1);
  EXPECT_EQ(spot.keys, (std::vector<std::pair<std::string, std::string>>{{"fill", "{uniform: [50, 150]}"}}));
}

/// A table that keys lead into, `slot` of the key; where the kernel has another, `of_kernel`.
std::pair<std::string, std::string> lookup(const std::string& slot, const std::string& of_kernel = {}) {
  const std::string head = "(const int* keys, const float* table, float* y, int n, int slots) {\n";
  const auto body = [](const std::string& expression) {
    return "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
           "    y[i] = table[" +
           expression + "];\n}\n";
  };
  return {"__global__ void k" + head + body(of_kernel.empty() ? slot : of_kernel),
          "__global__ void reference" + head + body(slot)};
}

TEST_F(Drafts, KeysThatAreReducedToASlotHaveNoSign) {
  request.grid = "4";
  const std::vector<std::string> axes{"n=200", "slots=40"};
  const auto fill = [&](const std::pair<std::string, std::string>& code, const std::string& arguments) {
    const Draft draft = of(code.first, code.second, axes, {arguments, "table: [slots]"});
    return key_of(draft, "keys", "fill");
  };
  EXPECT_EQ(fill(lookup("keys[i] % slots"), "keys: [n]"), "{integers: [0, 2147483647]}");
  EXPECT_EQ(fill(lookup("keys[i]"), "keys: [n]"), "{integers: [0, slots - 1]}");
  EXPECT_EQ(fill(lookup("(keys[i] % slots + slots) % slots"), "keys: [n]"), "") << "any number has a slot";
  EXPECT_EQ(fill(lookup("(keys[i] % slots + slots) % slots", "keys[i] % slots"), "keys: [n]"), "")
      << "a kernel that is wrong below 0 is to be shown such";
}

TEST_F(Drafts, NumbersThatOnlyTheKernelIsTooSmallForAreNamed) {
  request.grid = "4";
  const auto named = [&](const std::pair<std::string, std::string>& code) {
    const Draft draft = of(code.first, code.second, {"n=200", "slots=40"}, {"keys: [n]", "table: [slots]"});
    EXPECT_EQ(key_of(draft, "keys", "fill"), "{integers: [0, slots - 1]}");
    return std::ranges::any_of(draft.notes, [](const std::string& note) {
      return note.find("keys: {fill:") != std::string::npos &&
             note.find("the reference") != std::string::npos;
    });
  };
  EXPECT_TRUE(named(lookup("keys[i] % slots", "keys[i]")));
  EXPECT_FALSE(named(lookup("keys[i]")));
}

TEST_F(Drafts, WhatIsToldOfARowOfAStructsArrayIsRefused) {
  const std::string view = "struct View { float* at; int rows; };\n";
  request.grid = "1";
  const std::string kernel = view +
                             "__global__ void k(View v, float* y, int n) { if (threadIdx.x < n) "
                             "y[threadIdx.x] = v.at[2 * threadIdx.x]; }\n";
  const std::string reference =
      "__global__ void reference(const float* at, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = at[2 "
      "* i]; }\n";
  const std::string question = asked([&] {
    return of(kernel, reference, {"n=40"}, {"v.at: [n, 2]", "v[0]: {fill: {uniform: [1, 2]}}"});
  });
  EXPECT_NE(question.find("v[0]"), std::string::npos) << question;
}

}  // namespace
}  // namespace evo::intake
