#include "evaluators/devices/virtual/ptx/texture_opcode.hpp"

#include <array>
#include <utility>

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// ".2d.v4.f32.f32", a word at a time.
class TextureWords {
 public:
  explicit TextureWords(std::string_view rest) : rest_(rest) {}
  [[nodiscard]] bool accept(std::string_view word) {
    if (rest_.substr(0, rest_.find('.', 1)) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  template <class Value, std::size_t count>
  [[nodiscard]] bool one_of(const std::array<std::pair<std::string_view, Value>, count>& words, Value& out) {
    for (const auto& [word, value] : words) {
      if (!accept(word)) continue;
      out = value;
      return true;
    }
    return false;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

constexpr std::array<std::pair<std::string_view, TextureForm>, 5> grids{{
    {".1d", {1, false}},
    {".2d", {2, false}},
    {".3d", {3, false}},
    {".a1d", {1, true}},
    {".a2d", {2, true}},
}};
constexpr std::array<std::pair<std::string_view, Type>, 3> results{
    {{".f32", Type::f32}, {".u32", Type::u32}, {".s32", Type::s32}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> coordinates{{{".f32", false}, {".s32", true}}};
constexpr std::array<std::pair<std::string_view, Type>, 4> units{
    {{".b8", Type::b8}, {".b16", Type::b16}, {".b32", Type::b32}, {".b64", Type::b64}}};
constexpr std::array<std::pair<std::string_view, SurfaceEdge>, 3> edges{
    {{".trap", SurfaceEdge::trap}, {".clamp", SurfaceEdge::clamp}, {".zero", SurfaceEdge::zero}}};
/// Without effect on values.
constexpr std::array<std::pair<std::string_view, int>, 6> caches{
    {{".ca", 0}, {".cg", 0}, {".cs", 0}, {".cv", 0}, {".wb", 0}, {".wt", 0}}};

void decode_fetch(TextureWords words, Form& form) {
  Instruction& i = form.prototype;
  i.op = Opcode::tex;
  form.shape = Shape::texture;
  (void)words.accept(".level");
  i.vector = 4;
  form.known = words.one_of(grids, i.texture) && words.accept(".v4") && words.one_of(results, i.type) &&
               words.one_of(coordinates, i.texture.whole_coordinates) && words.done();
  i.type2 = i.texture.whole_coordinates ? Type::s32 : Type::f32;
}

void decode_access(TextureWords words, Form& form) {
  Instruction& i = form.prototype;
  i.op = Opcode::surface;
  form.shape = Shape::surface;
  i.type2 = Type::s32;
  if (!words.accept(".b") || !words.one_of(grids, i.texture)) return;
  int ignored = 0;
  (void)words.one_of(caches, ignored);
  if (words.accept(".v2")) i.vector = 2;
  if (i.vector == 1 && words.accept(".v4")) i.vector = 4;
  form.known = words.one_of(units, i.type) && words.one_of(edges, i.texture.edge) && words.done();
}

}  // namespace

Form decode_texture_opcode(std::string_view spelling) {
  Form form;
  if (spelling.starts_with("tex.")) decode_fetch(TextureWords(spelling.substr(3)), form);
  if (spelling.starts_with("suld.") || spelling.starts_with("sust."))
    decode_access(TextureWords(spelling.substr(4)), form);
  return form;
}

}  // namespace evo::evaluators::virtual_device::ptx
