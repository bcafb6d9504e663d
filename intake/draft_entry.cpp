// The instance that is launched.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/draft_maker.hpp"
#include "intake/files.hpp"
#include "intake/first_genome.hpp"
#include "intake/gene_names.hpp"
#include "intake/launch_guess.hpp"
#include "intake/reference.hpp"
#include "intake/types.hpp"
#include "model/entry_name.hpp"
#include "model/experiment.hpp"
#include "model/expression.hpp"
#include "model/file_name.hpp"
#include "session/targets.hpp"

namespace evo::intake {

void DraftMaker::choose_entry() {
  const std::string called = model::without_parameters(request_.entry).first;
  if (called.find('<') != std::string::npos) {
    const EntryName entry = read_entry(called);
    draft_.entry = kernel_.name + called.substr(called.find('<'));
    for (std::size_t i = 0; i < entry.arguments.size() && i < kernel_.templates.size(); ++i) {
      const std::string& text = entry.arguments[i];
      if (text.size() < 3 || text.front() != '{') continue;
      DraftGene* named = gene(text.substr(1, text.size() - 2));
      if (named == nullptr)
        refuse(model::ExitCode::usage,
               fmt::format("--entry '{}': {} is no gene; --gene {}=VALUE,... makes it one", request_.entry,
                           text, text.substr(1, text.size() - 2)));
      // A macro of a parameter's name would break its declaration.
      if (occurs(names_of(source_), named->name)) take_from_template(*named, draft_.entry);
    }
    return;
  }
  draft_.entry = kernel_.name;
  if (kernel_.templates.empty()) return;
  const std::string body = source_.substr(kernel_.begin, kernel_.end - kernel_.begin);
  std::string arguments;
  for (const TemplateParameter& parameter : kernel_.templates) {
    std::string argument;
    if (DraftGene* named = gene(parameter.name)) {
      argument = "{" + named->name + "}";
      take_from_template(*named, argument);
    } else if (!parameter.fallback.empty()) {
      break;
    } else if (parameter.type) {
      argument = "float";
      draft_.notes.push_back(fmt::format("{}: {} is float", at(kernel_.line), parameter.name));
    } else if (run_) {
      refuse(model::ExitCode::usage,
             fmt::format(
                 "{}: {} is a template over {}: give --gene {}=VALUE,..., or an instance, --entry '{}<...>'",
                 at(kernel_.line), kernel_.name, parameter.name, parameter.name, kernel_.name));
    } else {
      DraftGene added{parameter.name,
                      parameter.boolean ? std::vector<std::string>{"0", "1"}
                                        : usual_values(parameter.name, asks_for_side(body, 'y')),
                      "",
                      false,
                      "a template parameter",
                      ""};
      argument = "{" + added.name + "}";
      take_from_template(added, argument);
      draft_.genes.push_back(std::move(added));
    }
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  draft_.entry += "<" + arguments + ">";
}

void DraftMaker::take_from_template(DraftGene& named, std::string& text) {
  named.from_template = true;
  if (known_dialect().gene_as) return;
  const std::string old = "{" + named.name + "}", name = "EVO_" + in_capitals(named.name);
  for (std::size_t found = text.find(old); found != std::string::npos; found = text.find(old))
    text.replace(found, old.size(), "{" + name + "}");
  renamed_.emplace_back(named.name, name);
  draft_.notes.push_back(
      fmt::format("the gene {} is named {}: {} declares that name", named.name, name, request_.kernel));
  named.name = name;
}

const std::string& DraftMaker::first_value(const DraftGene& of) {
  return of.initial.empty() ? of.values.front() : of.initial;
}

std::string DraftMaker::instance() const {
  std::string text = draft_.entry;
  for (const DraftGene& each : draft_.genes) {
    const std::string place = "{" + each.name + "}";
    for (std::size_t found = text.find(place); found != std::string::npos; found = text.find(place))
      text.replace(found, place.size(), first_value(each));
  }
  return text;
}

}  // namespace evo::intake
