// Textures and surfaces on both machines: sampled values against the formulas of the CUDA C++ Programming
// Guide ("Texture Fetching"), edges, handles that are none, and the checks that surfaces share with pointers.
#include <cmath>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::BufferArgument;
using evaluators::devices::BufferId;
using evaluators::devices::CheckLevel;
using evaluators::devices::KernelArgument;
using evaluators::devices::TextureBinding;
using model::DType;
using model::TextureAddress;
using model::TextureFilter;
using model::TextureModel;

constexpr int width = 5, height = 3, depth = 2;

KernelArgument texture(BufferId id, const TextureModel& model, const std::vector<std::int64_t>& shape,
                       DType dtype = DType::f32, const std::string& name = "t") {
  return BufferArgument{id, std::make_shared<const TextureBinding>(
                                TextureBinding{model, dtype, model::texture_extent(model, shape), name})};
}

TextureModel surface_model() {
  TextureModel model;
  model.surface = true;
  return model;
}

/// A number that tells its place.
float texel(int x, int y = 0, int z = 0) {
  return static_cast<float>(1 + x * x + 10 * y + 100 * z);
}

std::vector<float> image() {
  std::vector<float> values;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) values.push_back(texel(x, y));
  return values;
}

/// A texel beyond the edge, by folding the index step by step.
int folded(TextureAddress address, int i, int size) {
  while (i < 0 || i >= size) {
    if (address == TextureAddress::wrap) i += i < 0 ? size : -size;
    if (address == TextureAddress::mirror) i = i < 0 ? -1 - i : 2 * size - 1 - i;
    if (address == TextureAddress::clamp) i = i < 0 ? 0 : size - 1;
    if (address == TextureAddress::border) return -1;
  }
  return i;
}

/// What a fetch from image() gives.
double sampled(const TextureModel& model, double x, double y) {
  if (model.normalized) x *= width, y *= height;
  const auto at = [&](int i, int j) {
    const int column = folded(model.address, i, width), row = folded(model.address, j, height);
    return column < 0 || row < 0 ? 0.0 : static_cast<double>(texel(column, row));
  };
  if (model.filter == TextureFilter::point)
    return at(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
  const int i = static_cast<int>(std::floor(x - 0.5)), j = static_cast<int>(std::floor(y - 0.5));
  const double a = std::round((x - 0.5 - i) * 256) / 256, b = std::round((y - 0.5 - j) * 256) / 256;
  return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) +
         a * b * at(i + 1, j + 1);
}

struct Result {
  std::string reason, message;
  model::Status status{};
};
Result result_of(const evaluators::devices::Outcome<evaluators::devices::LaunchReport>& outcome) {
  if (outcome) return {};
  return {outcome.error().reason, outcome.error().evidence.front().message, outcome.error().status};
}

class Textures : public testing::TestWithParam<CheckLevel> {
 protected:
  std::unique_ptr<Rig> rig(const std::string& entry) {
    auto made = std::make_unique<Rig>("texture.ptx", entry);
    made->options.checks = GetParam();
    return made;
  }
  static model::LaunchPlan plan(std::uint32_t threads, std::uint32_t blocks = 1, std::uint32_t rows = 1) {
    model::LaunchPlan made;
    made.block = {threads, 1, 1};
    made.grid = {blocks, rows, 1};
    return made;
  }
  /// out[i] = entry at coordinates i.
  template <class Out, class At, class Texel>
  std::vector<Out> fetched(const std::string& entry, const TextureModel& model,
                           const std::vector<std::int64_t>& shape, const std::vector<Texel>& texels,
                           const std::vector<At>& at, std::uint32_t threads, DType dtype = DType::f32,
                           std::size_t of_each = 1) {
    auto made = rig(entry);
    const auto t = made->buffer("t", texels);
    const auto places = made->buffer("at", at);
    const auto out = made->empty<Out>("out", threads * of_each);
    last_ = result_of(
        made->launch(plan(threads), {texture(t, model, shape, dtype), pointer(places), pointer(out)}));
    return made->contents<Out>(out, threads * of_each);
  }
  Result last_;
};

TEST_P(Textures, GiveWhatTheFormulasOfTheGuideSay) {
  for (const bool normalized : {false, true}) {
    for (const TextureFilter filter : {TextureFilter::point, TextureFilter::linear}) {
      for (const TextureAddress address :
           {TextureAddress::clamp, TextureAddress::border, TextureAddress::wrap, TextureAddress::mirror}) {
        TextureModel model;
        model.filter = filter, model.address = address, model.normalized = normalized;
        if (!normalized && (address == TextureAddress::wrap || address == TextureAddress::mirror)) continue;
        std::vector<float> at;
        for (int k = 0; k < 64; ++k) {
          const float x = -2.3F + 0.171F * static_cast<float>(k), y = 4.1F - 0.113F * static_cast<float>(k);
          at.push_back(normalized ? x / width : x);
          at.push_back(normalized ? y / height : y);
        }
        for (const char* entry : {"fetch_2d", "fetch_level"}) {
          const auto out = fetched<float>(entry, model, {height, width}, image(), at, 64);
          ASSERT_EQ(last_.reason, "") << last_.message;
          for (std::size_t k = 0; k < out.size(); ++k) {
            EXPECT_FLOAT_EQ(out[k], static_cast<float>(sampled(model, static_cast<double>(at[2 * k]),
                                                               static_cast<double>(at[2 * k + 1]))))
                << at[2 * k] << " " << at[2 * k + 1] << " " << model::name_of(address)
                << model::name_of(filter) << normalized;
          }
        }
      }
    }
  }
}

TEST_P(Textures, HaveOneDimensionOrThreeAndLayers) {
  TextureModel model;
  const auto line = fetched<float>("fetch_1d", model, {5}, image(), std::vector<float>{-1, 0, 2.9F, 4, 9}, 5);
  EXPECT_THAT(line, testing::ElementsAre(texel(0), texel(0), texel(2), texel(4), texel(4)));
  std::vector<float> volume;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) volume.push_back(texel(x, y, z));
  const std::vector<float> at{1, 2, 0, 4, 0, 1, 3.5F, 1.5F, 7};
  EXPECT_THAT(fetched<float>("fetch_3d", model, {depth, height, width}, volume, at, 3),
              testing::ElementsAre(texel(1, 2, 0), texel(4, 0, 1), texel(3, 1, 1)));
  model.filter = TextureFilter::linear;
  EXPECT_THAT(
      fetched<float>("fetch_3d", model, {depth, height, width}, volume, std::vector<float>{1, 0.5F, 1}, 1),
      testing::ElementsAre((texel(0, 0, 0) + texel(1, 0, 0) + texel(0, 0, 1) + texel(1, 0, 1)) / 4));
  model.filter = TextureFilter::point;
  model.layered = true;
  EXPECT_THAT(fetched<float>("fetch_layer", model, {depth, height, width}, volume,
                             std::vector<float>{0, 1, 2, 1, 4, 0, 9, 3, 1}, 3),
              testing::ElementsAre(texel(1, 2, 0), texel(4, 0, 1), texel(3, 1, 1)));
}

TEST_P(Textures, InLinearMemoryAreFetchedByNumber) {
  TextureModel model;
  model.memory = model::TextureMemory::linear;
  EXPECT_THAT(fetched<float>("fetch_whole", model, {5}, image(), std::vector<int>{0, 3, 4, 5, -1}, 5),
              testing::ElementsAre(texel(0), texel(3), texel(4), 0, 0));
}

TEST_P(Textures, HaveChannelsAndOtherTypes) {
  TextureModel model;
  model.channels = 4;
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 4 * 6; ++i) bytes.push_back(static_cast<std::uint8_t>(11 * i));
  const std::vector<float> at{0, 0, 2, 1};
  EXPECT_THAT(fetched<int>("fetch_bytes", model, {2, 3, 4}, bytes, at, 2, DType::u8, 4),
              testing::ElementsAre(0, 11, 22, 33, 220, 231, 242, 253));
  model.normalized_float = true;
  const auto fractions = fetched<float>("fetch_vector", model, {2, 3, 4}, bytes, at, 2, DType::u8, 4);
  EXPECT_FLOAT_EQ(fractions[1], 11.0F / 255);
  EXPECT_FLOAT_EQ(fractions[7], 253.0F / 255);
  model = {};
  EXPECT_THAT(fetched<int>("fetch_short", model, {1, 3}, std::vector<std::int16_t>{-5, 7, -32768},
                           std::vector<float>{0, 0, 2, 0}, 2, DType::i16),
              testing::ElementsAre(-5, -32768));
  model.normalized_float = true;
  EXPECT_THAT(fetched<float>("fetch_2d", model, {1, 3}, std::vector<std::int16_t>{-32767, 32767, -32768},
                             std::vector<float>{0, 0, 1, 0, 2, 0}, 3, DType::i16),
              testing::ElementsAre(-1, 1, -1));
  model = {};
  // 1.5 and -2 in binary16.
  EXPECT_THAT(fetched<float>("fetch_2d", model, {1, 2}, std::vector<std::uint16_t>{0x3e00, 0xc000},
                             std::vector<float>{0, 0, 1, 0}, 2, DType::f16),
              testing::ElementsAre(1.5F, -2));
}

TEST_P(Textures, OfAnotherKindThanTheFetchAreFound) {
  const std::vector<float> at(64);
  TextureModel model;
  fetched<float>("fetch_2d", model, {height * width}, image(), at, 1);
  EXPECT_EQ(last_.reason, "wrong_texture") << "a line where a plane is fetched";
  EXPECT_EQ(last_.status, model::Status::sanitizer_fail);
  fetched<float>("fetch_2d", model, {height, width}, std::vector<int>(15), at, 1, DType::i32);
  EXPECT_EQ(last_.reason, "wrong_texture") << "integers where floats are fetched";
  fetched<float>("fetch_short", model, {height, width}, image(), at, 1);
  EXPECT_EQ(last_.reason, "wrong_texture") << "floats where integers are fetched";
  fetched<float>("fetch_2d", surface_model(), {height, width}, image(), at, 1);
  EXPECT_EQ(last_.reason, "wrong_texture") << "a surface";
  fetched<float>("fetch_whole", model, {15}, image(), std::vector<int>(4), 1);
  EXPECT_EQ(last_.reason, "wrong_texture") << "tex1Dfetch of an array";
  model.memory = model::TextureMemory::linear;
  fetched<float>("fetch_1d", model, {15}, image(), at, 1);
  EXPECT_EQ(last_.reason, "wrong_texture") << "tex1D of linear memory";
}

TEST_P(Textures, AreNoPointersAndPointersAreNone) {
  const auto given = [&](std::uint64_t value) {
    auto made = rig("fetch_given");
    const auto t = made->buffer("t", image());
    const auto handle = made->buffer("handle", std::vector<std::uint64_t>{value});
    const auto out = made->empty<float>("out", 4);
    return result_of(made->launch(plan(4), {pointer(handle), texture(t, {}, {height, width}), pointer(out)}))
        .reason;
  };
  EXPECT_EQ(given(0), "wrong_texture");
  EXPECT_EQ(given(std::uint64_t{16} << 36), "wrong_texture");
  EXPECT_EQ(given(evaluators::virtual_device::texture_handle(false, 1)), "wrong_texture");
  EXPECT_EQ(given(evaluators::virtual_device::texture_handle(true, 0)), "wrong_texture");
  EXPECT_EQ(given(evaluators::virtual_device::texture_handle(false, 0)), "");
  // A pointer in the place of a texture, and a texture that is followed.
  auto plain = rig("fetch_2d");
  const auto t = plain->buffer("t", image());
  EXPECT_EQ(
      result_of(plain->launch(plan(1), {pointer(t), pointer(t), pointer(plain->empty<float>("out", 1))}))
          .reason,
      "wrong_texture");
  auto followed = rig("follow");
  const auto u = followed->buffer("t", image());
  EXPECT_EQ(result_of(followed->launch(plan(1), {texture(u, {}, {height, width}),
                                                 pointer(followed->empty<float>("out", 1))}))
                .reason,
            "out_of_bounds");
}

TEST_P(Textures, AreToldApart) {
  auto made = rig("fetch_twice");
  const auto a = made->buffer("a", image()), b = made->buffer("b", std::vector<float>(15, 1000));
  const auto out = made->empty<float>("out", 4);
  ASSERT_TRUE(made->launch(plan(4),
                           {texture(a, {}, {height, width}), texture(b, {}, {height, width}), pointer(out)}));
  EXPECT_EQ(made->contents<float>(out, 4)[3], 1000 + texel(3));
}

TEST_P(Textures, PassOnThatACoordinateHasNoValue) {
  if (GetParam() == CheckLevel::none) return;
  auto made = rig("fetch_unset");
  const auto t = made->buffer("t", image());
  const auto out = made->empty<float>("out", 32);
  EXPECT_EQ(result_of(made->launch(plan(32), {texture(t, {}, {height, width}), pointer(out)})).reason,
            "uninitialized");
}

TEST_P(Textures, SurfacesAreReadAndWritten) {
  auto made = rig("copy_2d");
  const auto from = made->buffer("from", image());
  const auto to = made->empty<float>("to", 15);
  const auto outcome = made->launch(
      plan(32, 1, height), {texture(from, surface_model(), {height, width}),
                            texture(to, surface_model(), {height, width}), scalar(width), scalar(height)});
  // Its rows are blocks along x.
  const auto rows =
      made->launch(plan(32, 1, 1), {texture(from, surface_model(), {height, width}),
                                    texture(to, surface_model(), {height, width}), scalar(width), scalar(1)});
  ASSERT_TRUE(outcome && rows) << result_of(outcome).message;
  EXPECT_EQ(made->contents<float>(to, 15)[14], 2 * texel(4, 2));
}

TEST_P(Textures, SurfacesHaveTheEdgeThatIsAskedFor) {
  // In texels: inside, beyond each side, far beyond.
  const std::vector<int> at{4, 2, -1, 0, 5, 1, 2, 3, 1, -1, 1000, 1000};
  const auto read = [&](int mode, std::vector<float>& out) {
    auto made = rig("read_edge");
    const auto s = made->buffer("s", image());
    const auto places = made->buffer("at", at);
    const auto result = made->empty<float>("out", 6);
    const auto outcome = made->launch(plan(6), {texture(s, surface_model(), {height, width}), pointer(places),
                                                pointer(result), scalar(mode)});
    out = made->contents<float>(result, 6);
    return result_of(outcome).reason;
  };
  std::vector<float> out;
  EXPECT_EQ(read(0, out), "out_of_bounds");
  EXPECT_EQ(read(1, out), "");
  EXPECT_THAT(out, testing::ElementsAre(texel(4, 2), texel(0, 0), texel(4, 1), texel(2, 2), texel(1, 0),
                                        texel(4, 2)));
  EXPECT_EQ(read(2, out), "");
  EXPECT_THAT(out, testing::ElementsAre(texel(4, 2), 0, 0, 0, 0, 0));
  const auto write = [&](int mode, const std::vector<int>& places_of) {
    auto made = rig("write_edge");
    const auto s = made->buffer("s", std::vector<float>(15, -1));
    const auto places = made->buffer("at", places_of);
    const auto outcome =
        made->launch(plan(static_cast<std::uint32_t>(places_of.size() / 2)),
                     {texture(s, surface_model(), {height, width}), pointer(places), scalar(mode)});
    out = made->contents<float>(s, 15);
    return result_of(outcome).reason;
  };
  EXPECT_EQ(write(0, at), "out_of_bounds");
  EXPECT_EQ(write(2, at), "");
  EXPECT_EQ(std::count(out.begin(), out.end(), -1.0F), 14);
  EXPECT_EQ(out[14], 1);
  EXPECT_EQ(write(1, {-7, 1, 3, 99}), "");
  EXPECT_EQ(out[5], 1);
  EXPECT_EQ(out[13], 2);
}

TEST_P(Textures, SurfacesHaveDimensionsLayersAndVectors) {
  auto line = rig("write_line");
  const auto one = line->empty<float>("s", 5);
  ASSERT_TRUE(line->launch(plan(32), {texture(one, surface_model(), {5}), scalar(5)}));
  EXPECT_EQ(line->contents<float>(one, 5)[4], 4);
  for (const bool layered : {false, true}) {
    auto slices = rig(layered ? "write_layers" : "write_slices");
    TextureModel model = surface_model();
    model.layered = layered;
    const auto all = slices->empty<float>("s", 30);
    ASSERT_TRUE(slices->launch(plan(32, height, depth),
                               {texture(all, model, {depth, height, width}), scalar(width)}));
    EXPECT_EQ(slices->contents<float>(all, 30)[29], 124);
    EXPECT_EQ(slices->contents<float>(all, 30)[6], 11);
  }
  auto bytes = rig("write_bytes");
  TextureModel model = surface_model();
  model.channels = 4;
  const auto four = bytes->empty<std::uint8_t>("s", 24);
  ASSERT_TRUE(bytes->launch(plan(32, 2), {texture(four, model, {2, 3, 4}, DType::u8), scalar(3)}));
  EXPECT_THAT(bytes->contents<std::uint8_t>(four, 24), testing::Contains(5));
  EXPECT_EQ(bytes->contents<std::uint8_t>(four, 24)[23], 5);
}

TEST_P(Textures, SurfacesAreCheckedAsPointersAre) {
  if (GetParam() == CheckLevel::none) return;
  const auto reason = [&](const std::string& entry, std::uint32_t blocks, bool out, bool written) {
    auto made = rig(entry);
    const auto s = written ? made->buffer("s", std::vector<float>(32)) : made->empty<float>("s", 32);
    std::vector<KernelArgument> arguments{texture(s, surface_model(), {1, 32})};
    if (out) arguments.push_back(pointer(made->empty<float>("out", 32)));
    return result_of(made->launch(plan(32, blocks), arguments)).reason;
  };
  EXPECT_EQ(reason("write_together", 2, false, true), "race_global");
  EXPECT_EQ(reason("write_together", 1, false, true), "");
  EXPECT_EQ(reason("read_neighbour", 1, true, true), "race_global");
  EXPECT_EQ(reason("add_in_place", 1, false, true), "");
  EXPECT_EQ(reason("add_in_place", 1, false, false), "uninitialized");
  EXPECT_EQ(reason("no_bytes", 1, false, true), "misaligned");
}

INSTANTIATE_TEST_SUITE_P(Levels, Textures,
                         testing::Values(CheckLevel::none, CheckLevel::filtered, CheckLevel::exact));

}  // namespace
}  // namespace evo::tests
