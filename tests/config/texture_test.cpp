#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

/// The small problem, whose x is an image.
struct TextureLoader : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  /// x of this type and shape, with these keys.
  model::Expected<model::Problem> load(const std::string& keys, const std::string& dtype = "f32",
                                       const std::string& shape = "[n, width]",
                                       const std::string& role = "input") {
    std::string text = testing::small_problem;
    const std::size_t at = text.find("  - {name: x,");
    const std::size_t end = text.find('\n', at);
    text.replace(
        at, end - at,
        "  - {name: x, role: " + role + ", dtype: " + dtype + ", shape: " + shape + ", " + keys + "}");
    files.write("kernels/copy/problem.yaml", text);
    return load_problem("copy", path);
  }
  void refused(const std::string& keys, const std::string& part, const std::string& dtype = "f32",
               const std::string& shape = "[n, width]", const std::string& role = "input") {
    const auto problem = load(keys, dtype, shape, role);
    ASSERT_FALSE(problem) << keys;
    EXPECT_NE(problem.error().text().find(part), std::string::npos) << problem.error().text();
    EXPECT_NE(problem.error().text().find("problem.yaml:"), std::string::npos) << problem.error().text();
  }
};

TEST_F(TextureLoader, ReadsEveryKey) {
  const auto plain = load("texture: {}");
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_EQ(plain->arguments.front().texture, model::TextureModel{});
  const auto full =
      load("texture: {filter: linear, address: wrap, normalized: true, read: normalized_float, channels: 4}",
           "u8", "[n, width, 4]");
  ASSERT_TRUE(full) << full.error().text();
  model::TextureModel expected;
  expected.filter = model::TextureFilter::linear;
  expected.address = model::TextureAddress::wrap;
  expected.normalized = expected.normalized_float = true;
  expected.channels = 4;
  EXPECT_EQ(full->arguments.front().texture, expected);
  const auto line = load("texture: {memory: linear}", "f32", "[n]");
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(line->arguments.front().texture->memory, model::TextureMemory::linear);
  const auto surface = load("surface: {layers: true}", "f32", "[4, n, width]", "workspace");
  ASSERT_TRUE(surface) << surface.error().text();
  EXPECT_TRUE(surface->arguments.front().texture->surface && surface->arguments.front().texture->layered);
}

TEST_F(TextureLoader, RefusesWhatCudaHasNot) {
  refused("texture: {filter: linear}", "filter", "i32");
  refused("texture: {filter: linear}", "filter", "u8");
  refused("texture: {address: wrap}", "normalized: true");
  refused("texture: {address: mirror, normalized: false}", "normalized: true");
  refused("texture: {read: normalized_float}", "read", "f32");
  refused("texture: {}", "dtype", "f64");
  refused("texture: {channels: 3}", "channels", "f32", "[n, 3]");
  refused("texture: {memory: linear}", "a shape of 2");
  refused("texture: {memory: linear, filter: linear}", "filter", "f32", "[n]");
  refused("texture: {}", "a shape of 4", "f32", "[2, 2, n, width]");
  refused("texture: {layers: true}", "a shape of 1", "f32", "[n]");
}

TEST_F(TextureLoader, RefusesWhatAnObjectCannotBe) {
  refused("texture: {}", "role is input", "f32", "[n, width]", "output");
  refused("texture: {}, surface: {}", "surface");
  refused("texture: {}, strides: [width, 1]", "strides");
  refused("texture: {}, align: 16", "align");
  refused("texture: {}, symbol: table", "symbol");
  refused("surface: {}, before: zero", "before", "f32", "[n, width]", "output");
}

TEST_F(TextureLoader, SuggestsTheNearestWord) {
  refused("texture: {filtre: linear}", "did you mean 'filter'");
  refused("texture: {filter: liner}", "did you mean 'linear'");
  refused("texture: {address: clmap}", "did you mean 'clamp'");
  refused("texture: {memory: lineal}", "did you mean 'linear'");
  refused("surface: {chanels: 4}", "did you mean 'channels'");
  refused("textur: {}", "did you mean 'texture'");
}

TEST_F(TextureLoader, SizesAreCheckedWhereTheyAreKnown) {
  model::TextureModel four;
  four.channels = 4;
  EXPECT_TRUE(model::texture_objection(four, std::vector<std::int64_t>{8, 8, 3}));
  EXPECT_FALSE(model::texture_objection(four, std::vector<std::int64_t>{8, 8, 4}));
  EXPECT_TRUE(model::texture_objection({}, std::vector<std::int64_t>{8, 0}));
  EXPECT_TRUE(model::texture_objection({}, std::vector<std::int64_t>{65537, 8}));
  EXPECT_FALSE(model::texture_objection({}, std::vector<std::int64_t>{65536, 131072}));
  model::TextureModel layers;
  layers.layered = true;
  EXPECT_TRUE(model::texture_objection(layers, std::vector<std::int64_t>{2049, 8, 8}));
}

}  // namespace
}  // namespace evo::config
