#include "intake/array_argument.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "intake/argument_names.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

bool has_axes(const std::vector<DraftAxis>& axes, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const char* name) { return axis_named(axes, name) != nullptr; });
}

/// The letters of a matrix product, where the axes have them.
std::vector<std::string> product_shape(const std::string& name, const std::vector<DraftAxis>& axes) {
  if (axes.size() != 3 || !has_axes(axes, {"m", "n", "k"})) return {};
  const std::string m = axis_named(axes, "m")->name, n = axis_named(axes, "n")->name,
                    k = axis_named(axes, "k")->name;
  std::string letter = in_small_letters(name);
  for (const char* prefix : {"d_", "mat_", "matrix_", "g", "s"}) {
    if (letter.size() == std::string(prefix).size() + 1 && letter.starts_with(prefix)) letter = letter.back();
  }
  if (letter.size() > 1 && letter.starts_with("mat")) letter = letter.back();
  if (letter == "a") return {m, k};
  if (letter == "b") return {k, n};
  if (letter == "c" || letter == "d") return {m, n};
  return {};
}

void infer_role(const KnownParameter& p, DraftArgument& argument) {
  if (!p.flag.role.empty()) {
    argument.role = p.flag.role;
    argument.why = "as told";
    return;
  }
  const PointerUse& use =
      p.reference && (p.reference->read || p.reference->written) ? *p.reference : p.kernel;
  const char* who = &use == &p.kernel ? "the kernel" : "the reference";
  // const_cast: where both store into it, the word is wrong. What a call does with it nobody knows.
  const bool cast = p.kernel.stored && p.reference && p.reference->stored;
  if ((p.type.constant || p.text.constant) && !cast) {
    argument.role = "input";
    argument.why = "const";
  } else if (use.written && use.read_first) {
    argument.role = "inout";
    argument.why = fmt::format("{} {}", who, use.atomic ? "adds to it" : "reads it before it writes");
  } else if (use.written) {
    argument.role = "output";
    argument.why = fmt::format("{} writes it", who);
  } else if (use.read || !p.kernel.written) {
    argument.role = "input";
    argument.why = use.read ? fmt::format("{} only reads it", who) : "nothing accesses it";
  }
  // Keys that only one role has say the role.
  const auto says = [&](std::string_view key) {
    return std::ranges::any_of(p.flag.keys, [&](const auto& given) { return given.first == key; });
  };
  if (says("before") && argument.role != "input") {
    argument.role = "output";
    argument.why = "as told: it holds zeros before";
  }
  // Contents before the launch are for the kernel to begin with, whatever the reference needs.
  if (says("fill") && argument.role == "output") {
    argument.role = "inout";
    argument.why += ", as told: it holds something before";
  }
  // What the reference writes is judged; there the key is refused, as problem.yaml does.
  const bool answer = p.reference && p.reference->written;
  if (says("zeroed") && argument.role != "input" && !answer) {
    argument.role = "workspace";
    argument.why = "as told: it holds zeros before";
    return;
  }
  // Only the candidate uses it: scratch memory.
  const bool idle = p.reference && !p.reference->read && !p.reference->written;
  if (idle && p.kernel.written) {
    argument.role = "workspace";
    argument.why = "the reference does not touch it";
  }
}

/// The host code of a published file says how it samples, in a cudaTextureDesc; "" where it says nothing.
std::string sampling_of(const std::string& host) {
  std::string map;
  const auto says = [&](const char* word) { return host.find(word) != std::string::npos; };
  const auto add = [&](const char* text) { map += (map.empty() ? "" : ", ") + std::string(text); };
  if (!says("filterMode")) return map;
  add(says("cudaFilterModeLinear") ? "filter: linear" : "filter: point");
  const bool normalized = says("normalizedCoords = 1") || says("normalizedCoords = true");
  // Without normalized coordinates CUDA takes wrap, which is the default of a cudaTextureDesc, and mirror for
  // clamp.
  if (normalized && (says("cudaAddressModeWrap") || !says("cudaAddressMode"))) add("address: wrap");
  if (normalized && says("cudaAddressModeMirror")) add("address: mirror");
  if (says("cudaAddressModeBorder")) add("address: border");
  if (normalized) add("normalized: true");
  if (says("cudaReadModeNormalizedFloat")) add("read: normalized_float");
  return map;
}

}  // namespace

void infer_array(const KnownParameter& p, const std::vector<DraftAxis>& axes, DraftArgument& argument) {
  infer_role(p, argument);
  argument.lanes = p.type.lanes;
  if (argument.dtype.empty()) {
    argument.dtype = "f32";
    argument.todo = fmt::format("'{}: f32[...]': what are the elements of '{}'? (0: a null pointer){}",
                                p.text.name, p.text.type, p.elements);
  }
  const bool idle =
      !p.kernel.read && !p.kernel.written && (!p.reference || (!p.reference->read && !p.reference->written));
  if (idle && argument.role == "input" && known_dialect().idle_arguments)
    argument.keys.emplace_back("unused", "true");
  if (p.type.structure) argument.why += fmt::format(", structs of {} {}", p.type.lanes, argument.dtype);
  // A kernel that adds to an output starts from zeros.
  const bool begins =
      std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "before"; });
  if (argument.role == "output" && p.kernel.read_first && !begins && known_dialect().zeroed_outputs) {
    argument.keys.emplace_back("before", "zero");
    argument.why += ", the kernel adds to it";
  }
  // A counter or a flag: scratch memory that nobody has filled has nothing to add to.
  const auto says_of_zeros = [](const auto& key) { return key.first == "zeroed"; };
  if (argument.role == "workspace" && p.kernel.atomic_first &&
      std::ranges::none_of(argument.keys, says_of_zeros)) {
    argument.keys.emplace_back("zeroed", "true");
    argument.why += ", the kernel adds to it: zeros before each launch";
  }
  // No two launches add in the same order.
  const auto says_of_order = [](const auto& key) { return key.first == "reproducible"; };
  const bool judged = argument.role == "output" || argument.role == "inout";
  if (judged && p.kernel.sums && ElementType{argument.dtype}.floating() &&
      std::ranges::none_of(argument.keys, says_of_order)) {
    argument.keys.emplace_back("reproducible", "false");
    argument.why += ", atomics add to it in any order: reproducible: false";
  }
  // float4*: the kernel's loads need it. Vectors of three are not aligned.
  const bool vectors = !p.type.structure && (p.type.lanes == 2 || p.type.lanes == 4);
  const bool told = std::any_of(argument.keys.begin(), argument.keys.end(),
                                [](const auto& key) { return key.first == "align"; });
  int align = vectors ? std::min(16, p.type.lanes * bytes_of(argument.dtype)) : 0;
  if (p.kernel.widest > align && p.kernel.widest > bytes_of(argument.dtype)) {
    align = p.kernel.widest;  // reinterpret_cast<float4*>(x), copies of 16 bytes, fragments
    argument.why += fmt::format(", {} bytes an access", align);
  }
  if (align > 0 && !told && !argument.dtype.empty() && known_dialect().align)
    argument.keys.emplace_back("align", std::to_string(align));
  if (!p.flag.shape.empty()) {
    argument.shape = p.flag.shape;
    return;
  }
  const std::string lanes = p.type.lanes > 1 ? fmt::format("{} * ", p.type.lanes) : "";
  if (axes.size() == 1) {
    argument.shape = {lanes + axes[0].name};
    return;
  }
  argument.shape = product_shape(p.text.name, axes);
  if (!argument.shape.empty()) {
    argument.why += ", the shape by its letter";
    return;
  }
  std::string all;
  for (const DraftAxis& axis : axes) {
    argument.shape.push_back((argument.shape.empty() ? lanes : "") + axis.name);
    all += (all.empty() ? "" : ", ") + argument.shape.back();
  }
  if (!argument.todo.empty() || idle) return;
  // All of them at once is seldom meant, and as an answer would be taken for one.
  argument.todo = axes.size() < 2 ? fmt::format("'{}: [{}]': {}", p.text.name, all, which_axes)
                                  : fmt::format("'{}: [...]': {} there are {}; '{}: [{}]', say", p.text.name,
                                                which_axes, all, p.text.name, argument.shape.front());
}

void infer_object(const KnownParameter& p, const std::vector<DraftAxis>& axes, DraftArgument& argument) {
  const bool surface = p.object == ObjectKind::surface;
  infer_role(p, argument);
  if (!surface && p.flag.role.empty()) {
    argument.role = "input";
    argument.why = "a texture is only read";
  }
  if (argument.dtype.empty()) argument.dtype = p.texture.element.dtype;
  if (argument.dtype.empty()) {
    argument.dtype = "f32";
    argument.todo = fmt::format("'{}: {} f32[...]': what are its texels?", p.text.name, argument.role);
  }
  const int lanes = p.texture.element.lanes;
  const char* key = surface ? "surface" : "texture";
  const bool told = std::any_of(argument.keys.begin(), argument.keys.end(),
                                [&](const auto& each) { return each.first == key; });
  if (!told) {
    std::string map = p.texture.whole ? "memory: linear" : surface ? "" : sampling_of(p.host);
    const bool open = map.empty() && !surface;
    if (open) {
      map = "filter: point, address: clamp";
      if (argument.todo.empty())
        argument.todo = fmt::format("'{}: input {}[...] texture(point, clamp)': how is it sampled?",
                                    p.text.name, argument.dtype);
    }
    if (lanes > 1) map += fmt::format("{}channels: {}", map.empty() ? "" : ", ", lanes);
    if (p.texture.layered) map += fmt::format("{}layers: true", map.empty() ? "" : ", ");
    argument.keys.emplace_back(key, fmt::format("{{{}}}", map));
  }
  if (!p.flag.shape.empty()) {
    argument.shape = p.flag.shape;
    return;
  }
  for (const DraftAxis& axis : axes) argument.shape.push_back(axis.name);
  const std::size_t dimensions = p.texture.dimensions + (p.texture.layered ? 1U : 0U);
  const bool fits = argument.shape.size() == dimensions;
  if (lanes > 1) argument.shape.push_back(std::to_string(lanes));
  if (fits) {
    argument.why += fmt::format(", {}D as it is accessed", p.texture.dimensions);
  } else if (argument.todo.empty()) {
    argument.todo = fmt::format("'{}: {} {}[HEIGHT, WIDTH] {}(...)': {}", p.text.name, argument.role,
                                argument.dtype, key, which_axes);
  }
}

}  // namespace evo::intake
