#include "intake/arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "intake/gene_names.hpp"
#include "intake/shares.hpp"

namespace evo::intake {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The axis that a scalar of this name is; null for none.
const DraftAxis* axis_named(const std::vector<DraftAxis>& axes, const std::string& name) {
  for (const bool exact : {true, false}) {
    for (const DraftAxis& axis : axes) {
      if (exact ? axis.name == name : lower(axis.name) == lower(name)) return &axis;
    }
  }
  return nullptr;
}

bool has_axes(const std::vector<DraftAxis>& axes, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const char* name) { return axis_named(axes, name) != nullptr; });
}

/// The letters of a matrix product, where the axes have them.
std::vector<std::string> product_shape(const std::string& name, const std::vector<DraftAxis>& axes) {
  if (axes.size() != 3 || !has_axes(axes, {"m", "n", "k"})) return {};
  const std::string m = axis_named(axes, "m")->name, n = axis_named(axes, "n")->name,
                    k = axis_named(axes, "k")->name;
  std::string letter = lower(name);
  for (const char* prefix : {"d_", "mat_", "matrix_", "g", "s"}) {
    if (letter.size() == std::string(prefix).size() + 1 && letter.starts_with(prefix)) letter = letter.back();
  }
  if (letter.size() > 1 && letter.starts_with("mat")) letter = letter.back();
  if (letter == "a") return {m, k};
  if (letter == "b") return {k, n};
  if (letter == "c" || letter == "d") return {m, n};
  return {};
}

/// What an integer counts that is no size: steps, the radius of a neighbourhood; null for other names.
const char* usual_count(const std::string& name) {
  static constexpr std::array<const char*, 8> names{"radius", "halo",  "border", "step",
                                                    "iter",   "round", "level",  "pass"};
  const bool counts =
      std::any_of(names.begin(), names.end(), [&](const char* word) { return name.find(word) != name.npos; });
  if (!counts) return nullptr;
  return name.find("start") != name.npos || name.find("first") != name.npos ? "0" : "1";
}

/// What a floating-point scalar of this name usually is, not the same for neighbours; null for other names.
const char* usual_number(const std::string& name, std::size_t index) {
  if (lower(name).starts_with("eps")) return "1.0e-5";
  return names_share(name) ? share_at(index) : nullptr;
}

/// The distance of two rows, as kernels name it.
bool names_pitch(const std::string& name) {
  return name == "pitch" || name == "stride" || name == "ld" || name.ends_with("pitch") ||
         name.ends_with("stride");
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

void infer_scalar(const KnownParameter& p, const std::vector<DraftAxis>& axes, std::size_t index,
                  DraftArgument& argument) {
  argument.role = "scalar";
  if (!p.flag.value.empty()) {
    argument.value = p.flag.value;
    argument.why = "as told";
    return;
  }
  if (argument.dtype.empty()) {
    argument.todo = fmt::format("'{}: ...': what is a '{}'?", p.text.name, p.text.type);
    argument.dtype = "i32";
    argument.value = "0";
    return;
  }
  if (p.type.floating()) {
    // Neither 0 nor 1, positive (a square root may be taken), neighbours not alike: a kernel that mixes them
    // up is to be seen.
    static constexpr std::array<const char*, 4> drawn{"1.5", "0.75", "0.5", "2.25"};
    const char* usual = usual_number(p.text.name, index);
    argument.value = usual != nullptr ? usual : drawn[index % drawn.size()];
    argument.why = usual != nullptr ? "by its name" : "drawn";
    return;
  }
  if (const DraftAxis* axis = axis_named(axes, p.text.name)) {
    argument.value = axis->name;
    argument.why = "the axis";
    return;
  }
  if (axes.size() == 1 && names_size(p.text.name) && !p.meets_data && !p.one_of_many) {
    argument.value = axes[0].name;
    argument.why = "the only axis";
    return;
  }
  const std::string name = lower(p.text.name);
  if (names_pitch(name) && !axes.empty()) {
    const auto row = std::find_if(axes.begin(), axes.end(),
                                  [](const DraftAxis& axis) { return names_row_length(axis.name); });
    argument.value = (row == axes.end() ? axes.back() : *row).name;
    argument.why = "the distance of two rows";
    return;
  }
  if (name.find("offset") != std::string::npos) {
    argument.value = "0";
    argument.why = "by its name";
    if (known_dialect().idle_arguments) argument.keys.emplace_back("neutral", "true");
    return;
  }
  if (const char* small = usual_count(name)) {
    argument.value = small;
    argument.why = "by its name";
    return;
  }
  if (!p.kernel_takes && !p.reference_takes && known_dialect().idle_arguments) {
    argument.value = "1";
    argument.why = "nothing reads it";
    return;
  }
  if (p.type.dtype == "bool") {
    argument.value = "1";
    argument.todo = fmt::format(
        "'{}: 0': what is its value? 0 or 1, where the kernel does what the reference does", p.text.name);
    return;
  }
  argument.value = axes.empty() ? "0" : axes[0].name;
  argument.todo = fmt::format("'{}: {}': what is its value?", p.text.name, argument.value);
}

}  // namespace

std::vector<DraftAxis> axes_of(const std::vector<KnownParameter>& parameters) {
  std::vector<DraftAxis> axes;
  for (const KnownParameter& p : parameters) {
    if (p.type.pointer || p.type.floating() || p.type.dtype.empty() || !p.flag.value.empty()) continue;
    if (!names_size(p.text.name) || p.meets_data || p.one_of_many || axis_named(axes, p.text.name) != nullptr)
      continue;
    axes.push_back({p.text.name, {}, {}, false, "an integer parameter named like a size", ""});
  }
  for (DraftAxis& axis : axes) axis.values = {axes.size() == 1 ? 65536 : axes.size() == 2 ? 256 : 64};
  return axes;
}

bool is_told_null(const KnownParameter& p) {
  return p.type.pointer && p.object == ObjectKind::none && p.flag.value == "0";
}

DraftArgument infer_argument(const KnownParameter& p, const std::vector<DraftAxis>& axes, std::size_t index) {
  DraftArgument argument;
  // An answer that does not depend on it cannot be asked whether it does.
  const bool told = std::any_of(p.flag.keys.begin(), p.flag.keys.end(), [](const auto& key) {
    return key.first == "neutral" || key.first == "unused";
  });
  const bool idle =
      p.object == ObjectKind::none && !p.reference_takes && !told && known_dialect().idle_arguments;
  argument.name = p.text.name.empty() ? fmt::format("argument{}", index) : p.text.name;
  argument.dtype = p.flag.dtype.empty() ? p.type.dtype : p.flag.dtype;
  argument.keys = p.flag.keys;
  if (p.object != ObjectKind::none) {
    argument.dtype = p.flag.dtype;  // that of the handle says nothing
    infer_object(p, axes, argument);
  } else if (is_told_null(p)) {
    argument.role = "scalar";
    argument.dtype = "u64";
    argument.value = "0";
    argument.why = "a null pointer, as told";
    for (const char* key : {"fixed", "neutral"}) {
      if (std::ranges::none_of(argument.keys, [&](const auto& own) { return own.first == key; }))
        argument.keys.emplace_back(key, "true");
    }
  } else if (p.type.pointer) {
    infer_array(p, axes, argument);
    // An input that the answer is not made of: what it holds must not matter, and is varied all the same.
    const bool unused =
        std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "unused"; });
    if (idle && argument.role == "input" && !unused) {
      argument.keys.emplace_back("neutral", "true");
      argument.why += ", the reference does not take it";
    }
  } else {
    infer_scalar(p, axes, index, argument);
    const bool said = std::any_of(argument.keys.begin(), argument.keys.end(),
                                  [](const auto& key) { return key.first == "neutral"; });
    if (idle && !said) {
      argument.keys.emplace_back("neutral", "true");
      argument.why += ", the reference does not use it";
    }
  }
  return argument;
}

}  // namespace evo::intake
