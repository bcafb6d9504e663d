// Structs by value: their members as parameters, and the flags that name them.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "intake/constants.hpp"
#include "intake/draft_maker.hpp"
#include "intake/index_columns.hpp"
#include "intake/reference.hpp"
#include "intake/struct_fields.hpp"
#include "intake/told_scalars.hpp"
#include "intake/types.hpp"
#include "intake/user_headers.hpp"
#include "model/expression.hpp"

namespace evo::intake {
namespace {

/// A parameter that may be a struct, by its text.
bool looks_like_struct(const Parameter& parameter) {
  return !parameter.pointer && object_kind(parameter.type) == ObjectKind::none &&
         is_struct_type(parameter.type);
}

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

bool DraftMaker::takes_structs() const {
  return std::ranges::any_of(kernel_.parameters, looks_like_struct);
}

void DraftMaker::read_argument_flags() {
  std::vector<std::string> texts;
  std::vector<std::string> told = request_.arguments;
  for (std::size_t at = 0; at < told.size(); ++at) {  // what a map says of a struct follows behind
    const std::string text = told[at];
    const std::size_t colon = text.find(':');
    const std::string name = trimmed(text.substr(0, colon));
    const bool map = colon != std::string::npos && trimmed(text.substr(colon + 1)).starts_with("{");
    // 'p: {...}' and 'p.size: {...}', a struct within it.
    const std::string whole = name.substr(0, name.find('.'));
    const bool structure = map && std::ranges::any_of(kernel_.parameters, [&](const Parameter& parameter) {
                             return parameter.name == whole && looks_like_struct(parameter);
                           });
    if (!structure) {
      texts.push_back(text);
      continue;
    }
    // A template's T may be a number: its map has the keys of an argument.
    YAML::Node node;
    try {
      node = YAML::Load(text.substr(colon + 1));
    } catch (const YAML::Exception& error) {
      refuse(model::ExitCode::usage, fmt::format("--arg '{}': {}", text, error.msg));
    }
    const std::vector<std::string> known = config::key_names(config::argument_keys());
    const auto is_key = [&](const auto& entry) {
      return occurs(known, entry.first.template as<std::string>());
    };
    if (std::ranges::all_of(node, is_key)) {
      texts.push_back(text);
      continue;
    }
    for (const auto& entry : node) {
      YAML::Emitter value;
      value << YAML::Flow << entry.second;
      const std::string is = entry.second.IsScalar() ? entry.second.as<std::string>() : value.c_str();
      told.push_back(fmt::format("{}.{}: {}", name, entry.first.as<std::string>(), is));
    }
  }
  for (const std::string& text : texts) add_argument_flag(flags_, text);
  columns_ = take_column_flags(flags_, kernel_.parameters);
  std::vector<std::string> sizes = axis_names();
  for (const DraftGene& each : draft_.genes) sizes.push_back(each.name);
  for (std::string& note : settle_told_names(flags_,
                                             {request_.grid, request_.block, request_.dynamic_smem,
                                              request_.reference_grid, request_.reference_block},
                                             sizes))
    draft_.notes.push_back(std::move(note));
  // What the members are called only the compiler tells.
  const bool dotted = std::ranges::any_of(
      flags_, [](const ArgumentFlag& flag) { return flag.name.find('.') != std::string::npos; });
  if (!takes_structs() && !dotted) check_flag_names();
}

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

/// Shapes are of axes, and genes where the array is scratch memory.
void DraftMaker::check_shape_names() const {
  if (!run_) return;  // more axes are found later
  std::vector<std::string> sizes = axis_names();
  for (const DraftGene& gene : draft_.genes) sizes.push_back(gene.name);
  for (const ArgumentFlag& flag : flags_) {
    for (const std::string& size : flag.shape) {
      const auto expression = model::Expression::parse(size);
      if (!expression) continue;  // whoever loads the problem says what is wrong
      for (const std::string& name : expression->names()) {
        const bool renamed =
            std::ranges::any_of(renamed_, [&](const auto& each) { return each.first == name; });
        if (occurs(sizes, name) || renamed) continue;
        refuse(
            model::ExitCode::usage,
            fmt::format("--arg '{}: [{}]': '{}' is no axis{}; an axis is said by --axis {}=SIZE", flag.name,
                        fmt::join(flag.shape, ", "), name, config::suggestion(name, sizes), name));
      }
    }
  }
}

bool DraftMaker::is_field(const std::string& path) const {
  return std::ranges::any_of(fields_, [&](const auto& array) {
    return std::ranges::any_of(
        array.second, [&](const DraftField& field) { return path == array.first + "." + field.name; });
  });
}

void DraftMaker::check_flag_names() const {
  std::vector<std::string> names;
  for (const Parameter& p : kernel_.parameters) {
    names.push_back(p.name);
    if (const auto place = places_.find(p.name); place != places_.end()) names.push_back(place->second.path);
  }
  for (const DeclaredVariable& constant : open_constants(source_)) names.push_back(constant.name);
  check_shape_names();
  // Numbers that the reference alone takes are told in the same way.
  if (!request_.reference.empty()) {
    const std::vector<Parameter> all = reference_parameters(request_.reference);
    for (const Parameter& own : all) {
      if (!goes_by_places(all) && !own.pointer && !occurs(names, own.name)) names.push_back(own.name);
    }
  }
  // Read where it matters: a framework's headers are hundreds.
  const auto is_constant_of_header = [&](const std::string& name) {
    const std::map<std::string, std::string> headers = user_headers(request_.kernel, source_).headers;
    return std::ranges::any_of(headers, [&](const auto& header) {
      const std::vector<DeclaredVariable> open = open_constants(header.second);
      return std::ranges::any_of(open, [&](const DeclaredVariable& each) { return each.name == name; });
    });
  };
  for (const ArgumentFlag& flag : flags_) {
    if (occurs(names, flag.name) || !array_of(flag.name).empty() || is_field(flag.name) ||
        is_constant_of_header(flag.name))
      continue;
    std::string members;
    for (const auto& [name, place] : places_) {
      if (place.structure == flag.name) members += (members.empty() ? "" : ", ") + place.path;
    }
    if (!members.empty())
      refuse(model::ExitCode::usage,
             fmt::format("--arg '{}: ...': it is a struct; say it of its members: {}", flag.name, members));
    if (const auto whole = objections_.find(flag.name.substr(0, flag.name.find('.')));
        whole != objections_.end())
      refuse(model::ExitCode::usage, fmt::format("--arg '{}: ...': the members of {} cannot be told: {}",
                                                 flag.name, whole->first, whole->second));
    refuse(model::ExitCode::usage,
           fmt::format("--arg '{}: ...': {} has no parameter '{}'{}", flag.name, kernel_.name, flag.name,
                       config::suggestion(flag.name, names)));
  }
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
