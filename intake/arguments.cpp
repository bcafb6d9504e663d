#include "intake/arguments.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "intake/argument_names.hpp"
#include "intake/array_argument.hpp"
#include "intake/gene_names.hpp"
#include "intake/shares.hpp"

namespace evo::intake {
namespace {

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
  if (in_small_letters(name).starts_with("eps")) return "1.0e-5";
  return names_share(name) ? share_at(index) : nullptr;
}

/// The distance of two rows, as kernels name it.
bool names_pitch(const std::string& name) {
  return name == "pitch" || name == "stride" || name == "ld" || name.ends_with("pitch") ||
         name.ends_with("stride");
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
  const std::string name = in_small_letters(p.text.name);
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
