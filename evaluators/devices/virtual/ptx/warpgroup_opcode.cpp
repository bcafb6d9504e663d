#include "evaluators/devices/virtual/ptx/warpgroup_opcode.hpp"

#include <charconv>
#include <optional>

#include "evaluators/devices/virtual/ptx/words.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// ".m64n128k16.f32.f16.f16", a word at a time.
class WarpgroupWords {
 public:
  explicit WarpgroupWords(std::string_view rest) : rest_(rest) {}
  [[nodiscard]] std::string_view next() {
    const std::string_view word = rest_.substr(0, rest_.find('.', 1));
    rest_.remove_prefix(word.size());
    return word;
  }
  [[nodiscard]] bool accept(std::string_view word) {
    if (rest_.substr(0, rest_.find('.', 1)) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Takes "n128" or "k16" from the front.
std::optional<unsigned> extent(std::string_view& word, char letter) {
  if (word.empty() || word.front() != letter) return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), value);
  if (error != std::errc{}) return std::nullopt;
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  return value;
}

bool decode_shape(std::string_view word, WarpgroupForm& form) {
  constexpr std::string_view rows = ".m64";
  if (!word.starts_with(rows)) return false;
  word.remove_prefix(rows.size());
  const auto n = extent(word, 'n');
  const auto k = extent(word, 'k');
  if (!n || !k || !word.empty() || *n < 8 || *n > 256 || *n % 8 != 0 || *k > 32) return false;
  form.n = static_cast<std::uint16_t>(*n);
  form.k = static_cast<std::uint8_t>(*k);
  return true;
}

Type element_type(std::string_view word) {
  if (word == ".e4m3") return Type::e4m3x2;
  if (word == ".e5m2") return Type::e5m2x2;
  return type_from_word(word);
}

bool is_eight_bits(Type type) {
  return type == Type::s8 || type == Type::u8;
}
bool is_fp8(Type type) {
  return type == Type::e4m3x2 || type == Type::e5m2x2;
}

/// 32 bytes of each row (PTX ISA, "Asynchronous warpgroup-level matrix shape").
bool operands_fit(const MatrixForm& types, const WarpgroupForm& form) {
  const bool wide = types.d == Type::f32;
  const bool narrow = types.d == Type::f16;
  if (types.a == Type::f16) return types.b == Type::f16 && (wide || narrow) && form.k == 16;
  if (types.a == Type::bf16) return types.b == Type::bf16 && wide && form.k == 16;
  if (types.a == Type::tf32) return types.b == Type::tf32 && wide && form.k == 8;
  if (is_fp8(types.a)) return is_fp8(types.b) && (wide || narrow) && form.k == 32;
  // Of the integers' widths, those above 32 are multiples of 16, and 24 is one.
  const bool width = form.n % 16 == 0 || form.n == 8 || form.n == 24;
  return is_eight_bits(types.a) && is_eight_bits(types.b) && types.d == Type::s32 && form.k == 32 && width;
}

bool decode_multiplication(WarpgroupWords words, Instruction& i) {
  i.op = Opcode::wgmma;
  if (!words.accept(".sync") || !words.accept(".aligned") || !decode_shape(words.next(), i.warpgroup))
    return false;
  i.saturate = words.accept(".satfinite");
  i.matrix.d = i.matrix.c = element_type(words.next());
  i.matrix.a = element_type(words.next());
  i.matrix.b = element_type(words.next());
  return words.done() && operands_fit(i.matrix, i.warpgroup) && (!i.saturate || is_eight_bits(i.matrix.a));
}

}  // namespace

Form decode_warpgroup_opcode(std::string_view spelling) {
  Form form;
  Instruction& i = form.prototype;
  const auto is = [&](std::string_view name, Opcode op, Shape shape) {
    if (spelling != name) return false;
    i.op = op;
    form.shape = shape;
    return true;
  };
  constexpr std::string_view multiplication = "wgmma.mma_async";
  if (spelling.starts_with("wgmma.mma_async.sync")) {
    form.shape = Shape::warpgroup;
    form.known = decode_multiplication(WarpgroupWords(spelling.substr(multiplication.size())), i);
  } else {
    form.known = is("wgmma.fence.sync.aligned", Opcode::wgmma_fence, Shape::plain) ||
                 is("wgmma.commit_group.sync.aligned", Opcode::wgmma_commit, Shape::plain) ||
                 is("wgmma.wait_group.sync.aligned", Opcode::wgmma_wait, Shape::wait_group) ||
                 is("setmaxnreg.inc.sync.aligned.u32", Opcode::set_max_registers, Shape::wait_group) ||
                 is("setmaxnreg.dec.sync.aligned.u32", Opcode::set_max_registers, Shape::wait_group);
  }
  return form;
}

}  // namespace evo::evaluators::virtual_device::ptx
