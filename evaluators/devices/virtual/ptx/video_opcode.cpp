#include "evaluators/devices/virtual/ptx/video_opcode.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "evaluators/devices/virtual/semantics/video.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using semantics::VideoForm;
using semantics::VideoOp;

constexpr std::array<std::pair<std::string_view, VideoOp>, 7> video_operations{{
    {"vadd", VideoOp::add},
    {"vsub", VideoOp::sub},
    {"vavrg", VideoOp::average},
    {"vabsdiff", VideoOp::absolute_difference},
    {"vmin", VideoOp::min},
    {"vmax", VideoOp::max},
    {"vset", VideoOp::set},
}};
constexpr std::array<std::pair<std::string_view, Compare>, 6> compares{{
    {".eq", Compare::eq},
    {".ne", Compare::ne},
    {".lt", Compare::lt},
    {".le", Compare::le},
    {".gt", Compare::gt},
    {".ge", Compare::ge},
}};

/// Takes `word` off the front of `rest`, if it stands there.
bool accept(std::string_view& rest, std::string_view word) {
  if (rest.substr(0, rest.find('.', 1)) != word) return false;
  rest.remove_prefix(word.size());
  return true;
}
/// .u32 or .s32: is it signed?
std::optional<bool> take_type(std::string_view& rest) {
  if (accept(rest, ".u32")) return false;
  if (accept(rest, ".s32")) return true;
  return std::nullopt;
}

}  // namespace

Form decode_video_opcode(std::string_view spelling) {
  Form form;
  const std::size_t dot = std::min(spelling.find('.'), spelling.size());
  std::string_view root = spelling.substr(0, dot), rest = spelling.substr(dot);
  if (!root.ends_with('2') && !root.ends_with('4')) return form;
  VideoForm video;
  video.four = root.ends_with('4');
  root.remove_suffix(1);
  const auto* const operation =
      std::ranges::find(video_operations, root, &std::pair<std::string_view, VideoOp>::first);
  if (operation == video_operations.end()) return form;
  video.op = operation->second;
  const bool sets = video.op == VideoOp::set;
  // A comparison's result has no type of its own.
  const std::optional<bool> d = sets ? std::optional(false) : take_type(rest);
  const std::optional<bool> a = take_type(rest), b = take_type(rest);
  if (!d || !a || !b) return form;
  video.signed_d = *d, video.signed_a = *a, video.signed_b = *b;
  Instruction& i = form.prototype;
  if (sets) {
    for (const auto& [word, compare] : compares) {
      if (i.compare == Compare::none && accept(rest, word)) i.compare = compare;
    }
    if (i.compare == Compare::none) return form;
  }
  // The sum of lanes takes them as they are.
  video.accumulate = accept(rest, ".add");
  i.saturate = !sets && !video.accumulate && accept(rest, ".sat");
  if (!rest.empty()) return form;
  i.op = Opcode::video;
  i.type = i.type2 = Type::u32;
  i.immediate = semantics::video_bits(video);
  form.dst_count = 1;
  form.dst[0] = Type::u32;
  form.src_min = form.src_max = 3;
  form.src[0] = form.src[1] = form.src[2] = Type::u32;
  form.known = true;
  return form;
}

}  // namespace evo::evaluators::virtual_device::ptx
