#include "intake/reference_match.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

[[noreturn]] void refuse_match(const std::string& message) {
  throw model::Exception(model::ExitCode::invalid_configuration, message);
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Those of the problem's parameters that are members of the kernel's struct `name`.
std::vector<std::size_t> members_of(const std::string& name,
                                    const std::vector<ReferenceParameter>& parameters) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].path.starts_with(name + ".")) members.push_back(i);
  }
  return members;
}

/// Of a struct with one array, that: "r" is the elements of an accessor r. Nothing for others.
std::optional<std::size_t> only_array(const std::vector<std::size_t>& members,
                                      const std::vector<ReferenceParameter>& parameters) {
  std::optional<std::size_t> found;
  for (const std::size_t at : members) {
    if (!parameters[at].array) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

/// A member of one of several structs by its own name, where no other has it: what the problem calls it.
std::string called(const std::string& name, const std::vector<ReferenceParameter>& parameters) {
  std::string found;
  for (const ReferenceParameter& parameter : parameters) {
    if (parameter.name == name) return name;
    if (!parameter.path.ends_with("." + name)) continue;
    if (!found.empty()) return name;
    found = parameter.name;
  }
  return found.empty() ? name : found;
}

}  // namespace

std::vector<Matched> match_parameters(const Reference& reference,
                                      const std::vector<ReferenceParameter>& parameters) {
  std::vector<std::string> names;
  for (const ReferenceParameter& parameter : parameters) names.push_back(parameter.name);
  std::vector<Parameter> own = reference.kernel.parameters;
  for (Parameter& parameter : own) {
    if (members_of(parameter.name, parameters).empty()) parameter.name = called(parameter.name, parameters);
  }
  const bool all = std::all_of(own.begin(), own.end(), [&](const Parameter& p) {
    const std::vector<std::size_t> members = members_of(p.name, parameters);
    return has_name(names, p.name) ||
           (p.pointer ? only_array(members, parameters).has_value() : !members.empty());
  });
  // Other names stand for what is left, in its order.
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::none_of(own, [&](const Parameter& p) { return p.name == names[i]; })) rest.push_back(i);
  }
  std::size_t next = 0;
  std::vector<Matched> order;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::vector<std::size_t> members = members_of(own[i].name, parameters);
    if (all && !has_name(names, own[i].name) && !members.empty()) {
      if (own[i].pointer)
        order.push_back({{*only_array(members, parameters)}, {}});
      else
        order.push_back({members, own[i].type});
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), own[i].name);
    if (!all && own.size() != parameters.size()) {
      if (found != names.end()) continue;
      refuse_match(fmt::format("{}:{}: {} takes '{}', which the kernel does not have{}", reference.file,
                               own[i].line, reference.kernel.name, own[i].name,
                               config::suggestion(own[i].name, names)));
    }
    // As many as the problem has: where one name is given twice, one is left over.
    const bool named = found != names.end();
    if (!named && next >= rest.size())
      refuse_match(fmt::format("{}:{}: nothing is left for '{}' of {}", reference.file, own[i].line,
                               own[i].name, reference.kernel.name));
    const std::size_t at = named ? static_cast<std::size_t>(found - names.begin()) : rest[next++];
    if (parameters[at].texels && !own[i].pointer)
      refuse_match(
          fmt::format("{}:{}: '{}' is a {}: a reference gets the array behind it, const float* {}, "
                      "and reads or samples that itself",
                      reference.file, own[i].line, own[i].name, own[i].type, own[i].name));
    if (parameters[at].array != own[i].pointer)
      refuse_match(fmt::format("{}:{}: '{}' is {}, but the kernel's '{}' is {}", reference.file, own[i].line,
                               own[i].name, own[i].pointer ? "a pointer" : "no pointer", parameters[at].name,
                               parameters[at].array ? "a pointer" : "none"));
    order.push_back({{at}, {}});
  }
  return order;
}

}  // namespace evo::intake
