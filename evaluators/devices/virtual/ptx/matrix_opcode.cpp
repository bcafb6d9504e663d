#include "evaluators/devices/virtual/ptx/matrix_opcode.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/devices/virtual/ptx/words.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// ".sync.aligned.m8n8", a word at a time.
class Words {
 public:
  explicit Words(std::string_view rest) : rest_(rest) {}
  [[nodiscard]] std::string_view next() {
    const std::string_view word = peek();
    rest_.remove_prefix(word.size());
    return word;
  }
  [[nodiscard]] bool accept(std::string_view word) {
    if (peek() != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  [[nodiscard]] Type type() { return type_from_word(next()); }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  [[nodiscard]] std::string_view peek() const { return rest_.substr(0, rest_.find('.', 1)); }
  std::string_view rest_;
};

constexpr std::array<std::pair<std::string_view, MatrixShape>, 11> shapes{{
    {".m8n8", MatrixShape::m8n8},
    {".m8n8k4", MatrixShape::m8n8},  // only with f64: see lower_matrix_f64.cpp
    {".m8n8k16", MatrixShape::m8n8k16},
    {".m16n8k4", MatrixShape::m16n8k4},
    {".m16n8k8", MatrixShape::m16n8k8},
    {".m16n8k16", MatrixShape::m16n8k16},
    {".m16n8k32", MatrixShape::m16n8k32},
    {".m16n16k16", MatrixShape::m16n16k16},
    {".m32n8k16", MatrixShape::m32n8k16},
    {".m8n32k16", MatrixShape::m8n32k16},
    {".m16n16k8", MatrixShape::m16n16k8},
}};
MatrixShape shape_from_word(std::string_view word) {
  for (const auto& [name, shape] : shapes) {
    if (name == word) return shape;
  }
  return MatrixShape::none;
}

/// Where the manual has a word, among those of other kinds; of one kind (types, layouts) the order counts.
/// wmma says layouts before the shape, mma behind it.
int place_of(std::string_view word, bool layout_first) {
  const bool layout = word == ".row" || word == ".col";
  if (word == ".sync") return 0;
  if (word == ".aligned") return 1;
  if (layout && layout_first) return 2;
  if (shape_from_word(word) != MatrixShape::none) return 3;
  if (layout) return 4;
  if (word == ".x1" || word == ".x2" || word == ".x4") return 5;
  if (word == ".trans") return 6;
  if (word == ".shared" || word == ".shared::cta" || word == ".global") return 7;
  if (word == ".satfinite") return layout_first ? 10 : 8;
  return type_from_word(word) != Type::none ? 9 : 11;
}

/// ".sync.aligned.m8n8.x4.b16" of ".sync.aligned.x4.m8n8.b16": ptxas takes them in any order, and inline
/// assembly makes use of that. What a word that is said twice, or is missing, means is left to the reader.
std::string in_manual_order(std::string_view words, bool layout_first) {
  std::vector<std::string_view> all;
  for (std::size_t next = 0; !words.empty(); words.remove_prefix(next)) {
    next = std::min(words.find('.', 1), words.size());
    all.push_back(words.substr(0, next));
  }
  std::ranges::stable_sort(all, {}, [&](std::string_view word) { return place_of(word, layout_first); });
  std::string text;
  for (const std::string_view word : all) text += word;
  return text;
}

bool is_byte(Type type) {
  return type == Type::s8 || type == Type::u8;
}
bool is_half_or_single(Type type) {
  return type == Type::f16 || type == Type::f32;
}

/// Types of a multiplication, apart from the shape.
bool types_fit(const MatrixForm& form) {
  if (form.a == Type::f16)
    return form.b == Type::f16 && is_half_or_single(form.c) && is_half_or_single(form.d);
  if (form.a == Type::bf16 || form.a == Type::tf32) {
    return form.b == form.a && form.c == Type::f32 && form.d == Type::f32;
  }
  return is_byte(form.a) && is_byte(form.b) && form.c == Type::s32 && form.d == Type::s32;
}

/// Shapes that an element type has, in mma.sync and in wmma.
bool shape_fits(MatrixShape shape, Type element, bool wmma) {
  const bool large =
      shape == MatrixShape::m16n16k16 || shape == MatrixShape::m32n8k16 || shape == MatrixShape::m8n32k16;
  if (wmma) return element == Type::tf32 ? shape == MatrixShape::m16n16k8 : large;
  switch (element) {
    case Type::f16:
    case Type::bf16:
      return shape == MatrixShape::m16n8k8 || shape == MatrixShape::m16n8k16;
    case Type::tf32:
      return shape == MatrixShape::m16n8k4 || shape == MatrixShape::m16n8k8;
    default:
      return shape == MatrixShape::m8n8k16 || shape == MatrixShape::m16n8k16 ||
             shape == MatrixShape::m16n8k32;
  }
}

/// The one form of f64: m8n8k4.
bool is_f64(const MatrixForm& form) {
  return form.shape == MatrixShape::m8n8 && form.a == Type::f64 && form.b == Type::f64 &&
         form.c == Type::f64 && form.d == Type::f64;
}

bool layout(Words& words, bool& column_major) {
  column_major = words.accept(".col");
  return column_major || words.accept(".row");
}
Space space_from_word(Words& words, bool global_too) {
  if (words.accept(".shared") || words.accept(".shared::cta")) return Space::shared;
  if (global_too && words.accept(".global")) return Space::global;
  return Space::generic;
}

bool decode_mma(Words words, Instruction& i) {
  i.op = Opcode::mma;
  MatrixForm& form = i.matrix;
  if (!words.accept(".sync") || !words.accept(".aligned")) return false;
  form.shape = shape_from_word(words.next());
  if (!words.accept(".row") || !words.accept(".col")) return false;
  i.saturate = words.accept(".satfinite");
  form.d = words.type();
  form.a = words.type();
  form.b = words.type();
  form.c = words.type();
  if (is_f64(form)) return words.done();
  return words.done() && types_fit(form) && shape_fits(form.shape, form.a, false) &&
         (!i.saturate || is_byte(form.a));
}

bool decode_wmma_mma(Words words, Instruction& i) {
  i.op = Opcode::wmma_mma;
  MatrixForm& form = i.matrix;
  bool ignored = false;  // fragments have the same layout however they were stored in memory
  if (!words.accept(".sync") || !words.accept(".aligned") || !layout(words, ignored) ||
      !layout(words, ignored)) {
    return false;
  }
  form.shape = shape_from_word(words.next());
  form.d = words.type();
  const Type second = words.type();
  if (is_half_or_single(second)) {
    form.a = form.b = Type::f16;
    form.c = second;
  } else {
    form.a = second;
    form.b = words.type();
    form.c = words.type();
  }
  i.saturate = words.accept(".satfinite");
  if (is_f64(form)) {
    i.rounding = words.accept(".rm")   ? Rounding::rm
                 : words.accept(".rp") ? Rounding::rp
                 : words.accept(".rz") ? Rounding::rz
                                       : Rounding::rn;
    return (i.rounding != Rounding::rn || words.accept(".rn")) && words.done();
  }
  const bool same_bytes = !is_byte(form.a) || form.a == form.b;
  return words.done() && same_bytes && types_fit(form) && shape_fits(form.shape, form.a, true) &&
         (!i.saturate || is_byte(form.a));
}

bool decode_wmma_memory(Words words, bool loads, Instruction& i) {
  i.op = loads ? Opcode::wmma_load : Opcode::wmma_store;
  MatrixForm& form = i.matrix;
  if (loads && words.accept(".a")) {
    form.role = MatrixRole::a;
  } else if (loads && words.accept(".b")) {
    form.role = MatrixRole::b;
  } else if (words.accept(loads ? ".c" : ".d")) {
    form.role = MatrixRole::accumulator;
  } else {
    return false;
  }
  if (!words.accept(".sync") || !words.accept(".aligned") || !layout(words, form.column_major)) return false;
  form.shape = shape_from_word(words.next());
  i.space = space_from_word(words, true);
  form.a = words.type();
  if (!words.done()) return false;
  if (form.a == Type::f64) return form.shape == MatrixShape::m8n8;
  if (form.role != MatrixRole::accumulator) {
    const bool known = is_byte(form.a) || form.a == Type::f16 || form.a == Type::bf16 || form.a == Type::tf32;
    return known && shape_fits(form.shape, form.a, true);
  }
  if (form.a == Type::f32 && form.shape == MatrixShape::m16n16k8) return true;
  return (is_half_or_single(form.a) || form.a == Type::s32) && shape_fits(form.shape, Type::f16, true);
}

bool decode_wmma(std::string_view rest, Instruction& i) {
  // What is done, and to which of the matrices, comes first with ptxas, too.
  const std::size_t second = std::min(rest.find('.', 1), rest.size());
  const std::string_view verb = rest.substr(0, second);
  const std::size_t third = verb == ".mma" ? second : std::min(rest.find('.', second + 1), rest.size());
  const std::string text =
      std::string(rest.substr(second, third - second)) + in_manual_order(rest.substr(third), true);
  if (verb == ".mma") return decode_wmma_mma(Words(text), i);
  if (verb == ".load") return decode_wmma_memory(Words(text), true, i);
  return verb == ".store" && decode_wmma_memory(Words(text), false, i);
}

/// ldmatrix, stmatrix, movmatrix.
bool decode_8x8(Words words, Opcode op, Instruction& i) {
  i.op = op;
  MatrixForm& form = i.matrix;
  form.shape = MatrixShape::m8n8;
  form.a = Type::b16;
  if (!words.accept(".sync") || !words.accept(".aligned") || !words.accept(".m8n8")) return false;
  form.count = 1;
  if (op != Opcode::movmatrix) {
    if (words.accept(".x2")) {
      form.count = 2;
    } else if (words.accept(".x4")) {
      form.count = 4;
    } else if (!words.accept(".x1")) {
      return false;
    }
  }
  form.transposed = words.accept(".trans");
  if (op == Opcode::movmatrix && !form.transposed) return false;
  if (op != Opcode::movmatrix) i.space = space_from_word(words, false);
  return words.accept(".b16") && words.done();
}

}  // namespace

Form decode_matrix_opcode(std::string_view spelling) {
  const std::size_t dot = std::min(spelling.find('.'), spelling.size());
  const std::string_view root = spelling.substr(0, dot);
  const std::string ordered = in_manual_order(spelling.substr(dot), false);
  const Words words(ordered);
  Form form;
  form.shape = Shape::matrix;
  Instruction& i = form.prototype;
  if (root == "mma") {
    form.known = decode_mma(words, i);
  } else if (root == "wmma") {
    form.known = decode_wmma(spelling.substr(dot), i);
  } else if (root == "ldmatrix") {
    form.known = decode_8x8(words, Opcode::ldmatrix, i);
  } else if (root == "stmatrix") {
    form.known = decode_8x8(words, Opcode::stmatrix, i);
  } else if (root == "movmatrix") {
    form.known = decode_8x8(words, Opcode::movmatrix, i);
  }
  return form;
}

}  // namespace evo::evaluators::virtual_device::ptx
