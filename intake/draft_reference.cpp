// What the compiler tells of the reference.
#include <algorithm>

#include "intake/arguments.hpp"
#include "intake/draft_maker.hpp"
#include "intake/reference.hpp"

namespace evo::intake {

bool DraftMaker::goes_by_places(const std::vector<Parameter>& own) const {
  const bool named = std::ranges::any_of(own, [&](const Parameter& each) { return is_parameter(each.name); });
  return own.size() == kernel_.parameters.size() && !named;
}

void DraftMaker::add_reference_sizes(const std::vector<Parameter>& own) {
  if (goes_by_places(own)) return;
  for (const Parameter& parameter : own) {
    const bool axis = std::any_of(draft_.axes.begin(), draft_.axes.end(),
                                  [&](const DraftAxis& each) { return each.name == parameter.name; });
    // 'blocks: ceil_div(n, 2048)': what only the reference has to be given.
    const bool told = std::ranges::any_of(
        flags_, [&](const ArgumentFlag& flag) { return flag.name == parameter.name && !flag.value.empty(); });
    if (!(axis || told) || parameter.pointer || is_parameter(parameter.name)) continue;
    Parameter size = parameter;
    size.line = kernel_.line;
    kernel_.parameters.push_back(size);
    reference_only_.push_back(size.name);
  }
}

void DraftMaker::read_reference_file() {
  if (request_.reference.empty()) {
    draft_.stub = true;
    return;
  }
  const std::vector<Parameter> said = reference_parameters(request_.reference);
  add_reference_sizes(said);
  take_types_of(said);
  std::vector<ReferenceParameter> parameters;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KnownParameter p = known(i);
    const bool object = p.object != ObjectKind::none;
    const std::string own = object ? p.texture.element.dtype : p.type.dtype;
    const std::string dtype = p.flag.dtype.empty() ? own : p.flag.dtype;
    const bool null = is_told_null(p);
    parameters.push_back({p.text.name,
                          null            ? "u64"
                          : dtype.empty() ? "f32"
                                          : dtype,
                          !null && (p.type.pointer || object)});
    parameters.back().texels = object;
    if (const auto place = places_.find(p.text.name); place != places_.end())
      parameters.back().path = place->second.path;
  }
  auto values = macro_values();
  for (const std::string& name : answer_.missing) values.emplace_back(name, trial_value(name));
  Reference reference = read_reference(compiler_, request_.reference, parameters, values, arch(),
                                       answer_.artifact.ptx.find(".f64") != std::string::npos);
  reference_use_ = reference.use;
  reference_artifact_ = reference.artifact;
  reference_text_ = reference.text;
  draft_.reference_entry = reference.entry;
  draft_.files.push_back({"reference.cu", reference.text});
  for (const std::string& note : reference.notes) draft_.notes.push_back(note);
}

}  // namespace evo::intake
