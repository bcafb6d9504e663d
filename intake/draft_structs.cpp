// Structs by value: their members as parameters.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "intake/draft_maker.hpp"
#include "intake/struct_fields.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

bool is_vector(const std::string& type) {
  return element_type(type).lanes > 1 || type == "dim3";
}

/// "centre.x", "weight[2]" as a name.
std::string name_of(const std::string& path) {
  std::string name;
  for (const char c : path) {
    if (c == ']') continue;
    name += c == '.' || c == '[' ? '_' : c;
  }
  return name;
}

}  // namespace

std::string DraftMaker::array_of(const std::string& structure) const {
  std::string array;
  for (const Parameter& parameter : kernel_.parameters) {
    const auto place = places_.find(parameter.name);
    if (!parameter.pointer || place == places_.end() || place->second.structure != structure) continue;
    if (!array.empty()) return {};
    array = parameter.name;
  }
  return array;
}

bool DraftMaker::is_field(const std::string& path) const {
  return std::ranges::any_of(fields_, [&](const auto& array) {
    return std::ranges::any_of(
        array.second, [&](const DraftField& field) { return path == array.first + "." + field.name; });
  });
}

/// Those of an array of structs that flags say something of: 'options.spot: {fill: ...}'.
std::set<std::string> DraftMaker::told_members(const std::string& name) const {
  std::set<std::string> members;
  for (const ArgumentFlag& flag : flags_) {
    if (flag.name.starts_with(name + ".")) members.insert(flag.name.substr(name.size() + 1));
  }
  return members;
}

/// 'points.position: {fill: ...}' is of the field that is that member, alone.
void DraftMaker::read_fields(const std::string& name, const StructLayout& layout) {
  std::vector<DraftField> fields = fields_of(layout, told_members(name));
  const bool told = std::ranges::any_of(flags_, [&](const ArgumentFlag& flag) {
    return flag.name == name && (!flag.dtype.empty() || !flag.value.empty());
  });
  if (fields.empty() || told) return;
  for (DraftField& field : fields) {
    for (const ArgumentFlag& flag : flags_) {
      if (flag.name == name + "." + field.name) field.keys = flag.keys;
    }
  }
  elements_[name].dtype = "u8";
  fields_[name] = std::move(fields);
}

void DraftMaker::expand_structs() {
  for (const auto& [index, layout] : answer_.pointees) {
    const std::string& name = kernel_.parameters[index].name;
    elements_[name] = element_of(layout);
    if (elements_[name].dtype.empty() || !told_members(name).empty()) read_fields(name, layout);
    std::string members;
    for (const StructMember& member : layout.members)
      members += fmt::format("{}{} {}{}", members.empty() ? "" : ", ", member.type, member.path,
                             member.count > 1 ? fmt::format("[{}]", member.count) : std::string());
    if (!members.empty()) element_names_[name] = fmt::format(" They are structs of {}", members);
  }
  if (answer_.layouts.empty()) return;
  std::vector<std::string> taken;
  for (const Parameter& parameter : kernel_.parameters) taken.push_back(parameter.name);
  // Of several structs each member has its struct's name in front, alike or not.
  int structs = 0;
  for (const auto& [index, layout] : answer_.layouts) {
    const bool several = layout.members.size() > 1 && !is_vector(answer_.types[index]);
    structs += several ? 1 : 0;
  }
  std::vector<Parameter> parameters;
  std::vector<std::string> types;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Parameter& whole = kernel_.parameters[i];
    const auto found = answer_.layouts.find(i);
    const bool expands = found != answer_.layouts.end() && found->second.objection.empty();
    if (!expands || found->second.members.empty()) {
      if (found != answer_.layouts.end() && !expands) objections_[whole.name] = found->second.objection;
      parameters.push_back(whole);
      types.push_back(answer_.types[i]);
      // An empty class, a functor: a byte that nobody reads.
      if (expands) {
        types.back() = "unsigned char";
        ArgumentFlag flag;
        flag.name = whole.name;
        flag.value = "0";
        flags_.push_back(std::move(flag));
      }
      continue;
    }
    const StructLayout& layout = found->second;
    if (layout.members.front().path.empty()) {  // an enum is its number
      parameters.push_back(whole);
      types.push_back(layout.members.front().type);
      continue;
    }
    const bool vector = is_vector(answer_.types[i]);
    std::uint32_t end = 0, most = 1;
    for (const StructMember& member : layout.members) {
      Parameter parameter = read_parameter(member.type + " x");
      const std::string own = name_of(member.path);
      const bool alone = !vector && structs < 2 && !occurs(taken, own);
      parameter.name = alone ? own : whole.name + "_" + own;
      parameter.type = member.type;
      parameter.line = whole.line;
      places_[parameter.name] = {whole.name, whole.name + "." + member.path, member.offset, layout.bytes, 0};
      const std::uint32_t bytes = bytes_of_type(member.type);
      end = std::max(end, member.offset + bytes);
      most = std::max(most, bytes);
      parameters.push_back(std::move(parameter));
      types.push_back(member.type);
    }
    if (layout.alignment > most) {
      for (auto& [name, place] : places_) {
        if (place.structure == whole.name) place.alignment = layout.alignment;
      }
    }
  }
  kernel_.parameters = std::move(parameters);
  answer_.types = std::move(types);
  spread_lists();
  size_accessors();
}

/// 'p.dims: [n, m]' of an array of numbers in a struct, and 'size: [w, h, 1]' of a vector (int3, dim3): a
/// value for each, as far as they go.
void DraftMaker::spread_lists() {
  const std::vector<ArgumentFlag> told = flags_;
  constexpr std::string_view lanes = "xyzw";
  for (const ArgumentFlag& flag : told) {
    const auto is_path = [&](const std::string& path) {
      return std::ranges::any_of(places_, [&](const auto& place) { return place.second.path == path; });
    };
    const bool vector = is_path(flag.name + ".x");
    const auto path_of = [&](std::size_t k) {
      return vector ? fmt::format("{}.{}", flag.name, lanes.substr(std::min(k, lanes.size()), 1))
                    : fmt::format("{}[{}]", flag.name, k);
    };
    const auto is_element = [&](std::size_t k) { return is_path(path_of(k)); };
    if (flag.shape.empty() || !is_element(0)) continue;
    std::erase_if(flags_, [&](const ArgumentFlag& each) { return each.name == flag.name; });
    for (std::size_t k = 0; k < flag.shape.size() && is_element(k); ++k) {
      ArgumentFlag element;
      element.name = path_of(k);
      element.value = flag.shape[k];
      flags_.push_back(std::move(element));
    }
  }
}

/// A tensor's accessor (data_, sizes_, strides_), or its TensorInfo (data, sizes, strides, dims), whose shape
/// was told is contiguous, as PyTorch makes them. What a TensorInfo has beyond its dims is nobody's.
void DraftMaker::size_accessors() {
  const std::vector<ArgumentFlag> told = flags_;
  const auto is_told = [&](const std::string& path) {
    return std::ranges::any_of(told, [&](const ArgumentFlag& flag) { return flag.name == path; });
  };
  for (const ArgumentFlag& flag : told) {
    const std::size_t point = flag.name.rfind('.');
    const bool of_data = flag.name.ends_with(".data_") || flag.name.ends_with(".data");
    const std::string whole = of_data ? flag.name.substr(0, point) : flag.name;
    std::set<std::string> paths;
    for (const auto& [name, place] : places_) {
      if (place.structure == whole) paths.insert(place.path);
    }
    const bool info = paths.contains(whole + ".data") && paths.contains(whole + ".dims");
    if (flag.shape.empty() || !(info || paths.contains(whole + ".data_"))) continue;
    const auto add = [&](const std::string& path, const std::string& value, bool neutral) {
      if (!paths.contains(path) || is_told(path)) return;
      ArgumentFlag member;
      member.name = path;
      member.value = value;
      if (neutral) member.keys.emplace_back("neutral", "true");
      flags_.push_back(std::move(member));
    };
    const std::string sizes = whole + (info ? ".sizes" : ".sizes_"),
                      strides = whole + (info ? ".strides" : ".strides_");
    if (info) add(whole + ".dims", std::to_string(flag.shape.size()), false);
    for (std::size_t k = flag.shape.size(); info && k < 25; ++k) {
      add(fmt::format("{}[{}]", sizes, k), "1", true);
      add(fmt::format("{}[{}]", strides, k), "1", true);
    }
    for (std::size_t k = 0; k < flag.shape.size(); ++k) {
      std::string stride;
      for (std::size_t i = k + 1; i < flag.shape.size(); ++i)
        stride += fmt::format("{}({})", stride.empty() ? "" : " * ", flag.shape[i]);
      add(fmt::format("{}[{}]", sizes, k), flag.shape[k], false);
      add(fmt::format("{}[{}]", strides, k), stride.empty() ? "1" : stride, false);
    }
  }
}

}  // namespace evo::intake
