// Pointers to void: what the kernel casts them to.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/cast_types.hpp"
#include "intake/draft_maker.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

bool points_to_void(const std::string& type) {
  const std::size_t at = type.find("void");
  return at != std::string::npos && std::ranges::count(type, '*') == 1 && type.find('(') == std::string::npos;
}

}  // namespace

void DraftMaker::read_casts(const ProbeQuestion& question) {
  const EntryName entry = read_entry(question.entry);
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 0; i < std::min(entry.arguments.size(), kernel_.templates.size()); ++i)
    values.emplace_back(kernel_.templates[i].name, entry.arguments[i]);
  const std::size_t colon = kernel_.name.rfind("::");
  const std::string within = colon == std::string::npos ? "" : kernel_.name.substr(0, colon);
  const std::string body = source_.substr(kernel_.begin, kernel_.end - kernel_.begin);
  std::vector<std::string> others{answer_.source};
  for (const auto& [name, text] : answer_.headers) others.push_back(text);
  for (std::size_t i = 0; i < std::min(kernel_.parameters.size(), answer_.types.size()); ++i) {
    if (!points_to_void(answer_.types[i])) continue;
    const std::string& name = kernel_.parameters[i].name;
    const auto place = places_.find(name);
    std::string called = place == places_.end() ? name : place->second.path;
    called = called.substr(called.rfind('.') == std::string::npos ? 0 : called.rfind('.') + 1);
    // The kernel's own text first; functions that it calls have the same name for it, or none.
    std::vector<std::string> casts = casts_of({body}, called);
    if (casts.empty()) casts = casts_of(others, called);
    const int widest = i < answer_.use.pointers.size() ? answer_.use.pointers[i].widest : 0;
    std::vector<std::string> known;
    ElementType found;
    for (const std::string& cast : casts) {
      std::string type = spelled_out(cast, body, values);
      if (element_type(type).dtype.empty())
        type = spelling_of(compiler_, question, answer_, type, within).value_or("");
      ElementType element = element_type(type);
      const bool fits = widest == 0 || bytes_of(element.dtype) * element.lanes <= widest;
      // Arms of a build's choice that is not taken: no access is that narrow.
      const bool narrow = casts.size() > 1 && bytes_of(element.dtype) * element.lanes < widest;
      if (element.dtype.empty() || element.pointer || !fits || narrow) continue;
      known.push_back(type);
      found = element;
    }
    if (known.size() == 1) {
      elements_[name] = found;
      element_names_.erase(name);
      draft_.notes.push_back(
          fmt::format("{}: {} points to {}, which the kernel casts it to", at(kernel_.line), name, known[0]));
    } else if (known.size() > 1) {
      element_names_[name] = fmt::format(" The kernel casts it to {}", fmt::join(known, " and to "));
    }
  }
}

void DraftMaker::take_types_of(const std::vector<Parameter>& reference) {
  const bool by_place = goes_by_places(reference);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KnownParameter own = known(i);
    const auto same = std::ranges::find(reference, own.text.name, &Parameter::name);
    const Parameter* said = same != reference.end()            ? &*same
                            : by_place && i < reference.size() ? &reference[i]
                                                               : nullptr;
    if (said == nullptr || !said->pointer || !own.flag.dtype.empty() || fields_.contains(own.text.name) ||
        own.object != ObjectKind::none)
      continue;
    ElementType meant = element_type(said->type);
    const ElementType taken = own.type;
    const int whole = bytes_of(taken.dtype) * taken.lanes, part = bytes_of(meant.dtype) * meant.lanes;
    const bool nothing = taken.dtype.empty() && i < answer_.types.size() && points_to_void(answer_.types[i]);
    // int4 that hold halves, or codes of 16 bits; words of two halves.
    const bool wide = !taken.dtype.empty() && !taken.structure && !taken.floating() && taken.pointer &&
                      part <= whole && (taken.lanes > 1 || meant.floating()) &&
                      (meant.floating() || bytes_of(meant.dtype) < bytes_of(taken.dtype));
    if (meant.dtype.empty() || meant.structure || !(nothing || wide)) continue;
    if (wide) meant.lanes = whole / bytes_of(meant.dtype);
    elements_[own.text.name] = meant;
    element_names_.erase(own.text.name);
    draft_.notes.push_back(
        fmt::format("{}: {} is {} in the kernel; it holds {}, as in the reference", at(kernel_.line),
                    own.text.name, i < answer_.types.size() ? answer_.types[i] : own.text.type, meant.dtype));
  }
}

}  // namespace evo::intake
