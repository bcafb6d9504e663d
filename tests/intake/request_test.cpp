#include "intake/request.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "intake/texture_use.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

/// What the exception says; its code must be usage.
template <class Call>
std::string refusal(const Call& call) {
  try {
    (void)call();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
    return error.what();
  }
  return {};
}
bool says(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST(AxisFlag, AllowedSizesAreListedAsTheSizesAre) {
  using Keys = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(read_axis_flag("n=64 allowed=32,64").keys, (Keys{{"allowed", "[32,64]"}}));
  EXPECT_EQ(read_axis_flag("n=64 allowed=[32,64]").keys, (Keys{{"allowed", "[32,64]"}}));
  EXPECT_EQ(read_axis_flag("n=64 allowed=[32, 64] max=64").keys,
            (Keys{{"allowed", "[32, 64]"}, {"max", "64"}}));
}

TEST(ArgumentFlag, WhatTwoSayOfOneNameIsJoined) {
  std::vector<ArgumentFlag> flags;
  for (const char* text : {"x: [n, m]", "y: 3", "x: {fill: {integers: [0, 9]}}", "x: inout i32[n, m]"})
    add_argument_flag(flags, text);
  ASSERT_EQ(flags.size(), 2U);
  EXPECT_EQ(flags[0].role, "inout");
  EXPECT_EQ(flags[0].shape, (std::vector<std::string>{"n", "m"}));
  EXPECT_EQ(flags[0].keys.size(), 1U);
  EXPECT_TRUE(says(refusal([&] {
                     add_argument_flag(flags, "x: [n]");
                     return 0;
                   }),
                   "the shape of x"));
  EXPECT_TRUE(says(refusal([&] {
                     add_argument_flag(flags, "y: 4");
                     return 0;
                   }),
                   "the value of y"));
  EXPECT_TRUE(says(refusal([&] {
                     add_argument_flag(flags, "x: {fill: sorted}");
                     return 0;
                   }),
                   "fill"));
}

TEST(IntakeFlags, Axes) {
  const AxisFlag axis = read_axis_flag("n=1000,4096 multiple_of=4");
  EXPECT_EQ(axis.name, "n");
  EXPECT_EQ(axis.values, (std::vector<std::int64_t>{1000, 4096}));
  ASSERT_EQ(axis.keys.size(), 1U);
  EXPECT_EQ(axis.keys[0].first, "multiple_of");
  EXPECT_TRUE(says(refusal([] { return read_axis_flag("n"); }), "n=1048576"));
  EXPECT_TRUE(says(refusal([] { return read_axis_flag("n=1e6"); }), "'1e6' is no size"));
  EXPECT_TRUE(says(refusal([] { return read_axis_flag("n=-4"); }), "no size"));
  EXPECT_TRUE(
      says(refusal([] { return read_axis_flag("n=4 multipel_of=2"); }), "did you mean 'multiple_of'"));
}

TEST(IntakeFlags, Genes) {
  EXPECT_EQ(read_gene_flag("BLOCK=64, 128").values, (std::vector<std::string>{"64", "128"}));
  EXPECT_TRUE(says(refusal([] { return read_gene_flag("BLOCK"); }), "BLOCK=64,128,256"));
  EXPECT_TRUE(says(refusal([] { return read_gene_flag("BLOCK="); }), "at least one value"));
  EXPECT_TRUE(says(refusal([] { return read_gene_flag("BLOCK=1,1"); }), "occurs twice"));
  EXPECT_TRUE(says(refusal([] { return read_gene_flag("BLOCK=1,,2"); }), "missing"));
  EXPECT_TRUE(says(refusal([] { return read_gene_flag("3B=1"); }), "expected NAME"));
}

TEST(IntakeFlags, Arguments) {
  const ArgumentFlag array = read_argument_flag("y: output f32[m, ceil_div(n, 2)]");
  EXPECT_EQ(array.role, "output");
  EXPECT_EQ(array.dtype, "f32");
  EXPECT_EQ(array.shape, (std::vector<std::string>{"m", "ceil_div(n, 2)"}));
  EXPECT_EQ(read_argument_flag("y: [m, n]").shape.size(), 2U);
  EXPECT_EQ(read_unreached_flag("76: why: so", "k.cu"),
            (std::pair<std::string, std::string>{"k.cu:76", "why: so"}));
  EXPECT_EQ(read_unreached_flag("a/b.cuh:7:why", "k.cu"),
            (std::pair<std::string, std::string>{"a/b.cuh:7", "why"}));
  for (const char* wrong : {"why", "76", "76:", "b.cuh: why", "x:y:z"})
    EXPECT_FALSE(refusal([&] { return read_unreached_flag(wrong, "k.cu").first; }).empty()) << wrong;
  EXPECT_EQ(read_argument_flag("y: [\"ceil_div(n, 2)\", '3']").shape,
            (std::vector<std::string>{"ceil_div(n, 2)", "3"}));
  EXPECT_EQ(read_argument_flag("y: output").role, "output");
  EXPECT_EQ(read_argument_flag("alpha: 1.5").value, "1.5");
  EXPECT_EQ(read_argument_flag("alpha: f64 1.5").dtype, "f64");
  EXPECT_EQ(read_argument_flag("size: n * 2").value, "n * 2");
  const ArgumentFlag map = read_argument_flag("y: {shape: [n + 1], zeroed: true}");
  EXPECT_EQ(map.shape, (std::vector<std::string>{"n + 1"}));
  EXPECT_EQ(read_argument_flag("y: {shape: [2, ceil_div(m, 4) * ceil_div(n, 2), 3], zeroed: true}").shape,
            (std::vector<std::string>{"2", "ceil_div(m, 4) * ceil_div(n, 2)", "3"}));
  ASSERT_EQ(map.keys.size(), 1U);
  EXPECT_EQ(map.keys[0].second, "true");
}

TEST(IntakeFlags, WhatIsTrueOfAnArrayIsOneWord) {
  const ArgumentFlag flag = read_argument_flag("done: workspace u32[1] zeroed");
  EXPECT_EQ(flag.role, "workspace");
  EXPECT_EQ(flag.keys, (decltype(flag.keys){{"zeroed", "true"}}));
  const ArgumentFlag both = read_argument_flag("t: input f32[h, w] unused texture(linear)");
  ASSERT_EQ(both.keys.size(), 2U);
  EXPECT_EQ(both.keys[0].first, "unused");
  EXPECT_EQ(both.keys[1].first, "texture");
  try {
    (void)read_argument_flag("done: workspace u32[1] zerod");
    ADD_FAILURE() << "zerod is no word";
  } catch (const model::Exception& error) {
    EXPECT_TRUE(says(error.what(), "zeroed")) << error.what();
  }
}

TEST(IntakeFlags, ARecordingIsNamedInFull) {
  const std::string name = "request_test_recording.npy";
  const auto fill = [&] { return read_argument_flag("x: {fill: {npy: " + name + "}}").keys.at(0).second; };
  EXPECT_EQ(fill().find(std::filesystem::absolute(name).string()), std::string::npos) << "no such file";
  std::ofstream(name) << "x";
  EXPECT_NE(fill().find(std::filesystem::absolute(name).string()), std::string::npos);
  std::filesystem::remove(name);
}

TEST(IntakeFlags, TexturesAndSurfaces) {
  const ArgumentFlag flag = read_argument_flag("t: input f32[h, w] texture(linear, border, normalized)");
  EXPECT_EQ(flag.shape.size(), 2U);
  ASSERT_EQ(flag.keys.size(), 1U);
  EXPECT_EQ(flag.keys[0].first, "texture");
  EXPECT_EQ(flag.keys[0].second, "{filter: linear, address: border, normalized: true}");
  EXPECT_EQ(
      read_argument_flag("t: input u8[h, w, 4] texture(read=normalized_float, channels=4)").keys[0].second,
      "{read: normalized_float, channels: 4}");
  EXPECT_EQ(read_argument_flag("t: input f32[n] texture(memory=linear)").keys[0].second, "{memory: linear}");
  EXPECT_EQ(read_argument_flag("s: output f32[h, w] surface").keys[0].first, "surface");
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("t: input f32[n] texture(liner)"); }),
                   "did you mean 'linear'"));
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("t: input f32[n] texture(chanels=4)"); }),
                   "did you mean 'channels'"));
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("t: input f32[n] texure(point)"); }),
                   "did you mean 'texture'"));
  EXPECT_TRUE(
      says(refusal([] { return read_argument_flag("s: output f32[n] surface(linear)"); }), "surface"));
  EXPECT_FALSE(refusal([] { return read_argument_flag("t: input f32[n] texture(point"); }).empty());
}

TEST(IntakeFlags, TheTextSaysHowAnObjectIsAccessed) {
  const std::string code =
      "{ float4 a = tex2D<float4>(image, x, y); int v = tex1Dfetch<int>(table, i); tex3D<float>(other, 1, 2, "
      "3);"
      " surf2Dread(&v, pixels, 4 * x, y); surf2Dwrite(v, pixels, 4 * x, y); surf2DLayeredwrite(v, stack, x, "
      "y, z);"
      " tex2D<float>(image_other, f(image), 0); }";
  const TextureUse image = texture_use(code, "image");
  EXPECT_EQ(image.dimensions, 2U);
  EXPECT_EQ(image.element.dtype, "f32");
  EXPECT_EQ(image.element.lanes, 4);
  EXPECT_TRUE(image.read && !image.written && !image.whole);
  EXPECT_TRUE(texture_use(code, "table").whole);
  EXPECT_EQ(texture_use(code, "table").element.dtype, "i32");
  EXPECT_TRUE(texture_use(code, "pixels").read && texture_use(code, "pixels").written);
  EXPECT_TRUE(texture_use(code, "stack").layered && !texture_use(code, "stack").read);
  EXPECT_EQ(texture_use(code, "nobody").dimensions, 0U);
}

TEST(IntakeFlags, WrongArgumentsNameTheNearest) {
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("y: outptu f32[n]"); }), "did you mean 'output'"));
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("y: f23[n]"); }), "did you mean 'f32'"));
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("y: {shap: [n]}"); }), "did you mean 'shape'"));
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("y"); }), "inout f32[n]"));
  EXPECT_TRUE(says(refusal([] { return read_argument_flag("y: f32[n"); }), "']'"));
  EXPECT_FALSE(refusal([] { return read_argument_flag("y: {shape: [n"); }).empty());
}

TEST(IntakeFlags, Expressions) {
  EXPECT_EQ(read_expressions("--grid", "ceil_div(n, BLOCK), m", {"n", "m", "BLOCK"}).size(), 2U);
  EXPECT_EQ(read_expressions("--grid", "[n, m]", {"n", "m"}).size(), 2U);
  EXPECT_TRUE(says(refusal([] {
                     return read_expressions("--grid", "ceil_div(n, BLCK)", {"n", "BLOCK"});
                   }),
                   "did you mean 'BLOCK'"));
  EXPECT_FALSE(refusal([] { return read_expressions("--grid", "n +", {"n"}); }).empty());
  EXPECT_FALSE(refusal([] { return read_expressions("--grid", "1,1,1,1", {}); }).empty());
}

}  // namespace
}  // namespace evo::intake
