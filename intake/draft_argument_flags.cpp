// --arg: what flags say of parameters, and whether there is what they name.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "intake/constants.hpp"
#include "intake/draft_maker.hpp"
#include "intake/index_columns.hpp"
#include "intake/reference.hpp"
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

}  // namespace evo::intake
