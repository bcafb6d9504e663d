#include "config/define_loader.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "config/gene_loader.hpp"
#include "config/nearest.hpp"
#include "model/macro_name.hpp"

namespace evo::config {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

model::Define make_define(const Reader& where, const std::string& name, const std::string& text) {
  if (!is_macro_name(name)) where.fail(fmt::format("'{}' is no name of a macro", name));
  if (text.find_first_of("\n\\") != std::string::npos)
    where.fail("a define is one line, without a backslash");
  return {name, std::nullopt, text};
}

/// Names that a define's expression may use.
std::vector<std::string> known_names(const model::Problem& problem, const model::Template& kernel) {
  std::vector<std::string> names;
  for (const model::Gene& gene : kernel.space.genes()) names.push_back(gene.name);
  for (const model::Axis& axis : problem.axes) {
    if (axis.compile_time) names.push_back(axis.name);
  }
  return names;
}

/// Macros that evo puts in front of the source.
std::set<std::string> macros_of(const model::Problem& problem, const model::Template& kernel) {
  std::set<std::string> names;
  for (const model::Gene& gene : kernel.space.genes()) {
    if (gene.is_macro()) names.insert(gene.name);
  }
  for (const model::Axis& axis : problem.axes) {
    if (axis.compile_time) names.insert(model::macro_name(axis.name));
  }
  for (const model::Define& define : kernel.defines) names.insert(define.name);
  for (const std::string& option : kernel.options) {
    if (option.starts_with("-D")) names.insert(option.substr(2, option.find('=') - 2));
  }
  return names;
}

/// The words of a directive, "#" apart from its name: {"#", "define", "WIDTH"}.
std::vector<std::string> directive(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line[start] != '#') return {};
  std::vector<std::string> words{"#"};
  std::istringstream rest{std::string(line.substr(start + 1))};
  for (std::string word; words.size() < 3 && rest >> word;) words.push_back(word);
  return words;
}

/// `#ifndef NAME` or `#if !defined(NAME)`.
bool guards(const std::string& line, const std::string& name) {
  const std::vector<std::string> words = directive(line);
  if (words.size() >= 3 && words[1] == "ifndef") return words[2] == name;
  if (words.size() < 3 || words[1] != "if") return false;
  std::string all;
  for (const char c : line) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) all += c;
  }
  return all.starts_with("#if!defined(" + name + ")") || all == "#if!defined" + name;
}

}  // namespace

model::Define read_named_define(const Reader& reader) {
  const std::string text = reader.text();
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) reader.fail("expected NAME = VALUE, as in define: \"X = 2 * TILE\"");
  return make_define(reader, trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
}

std::vector<model::Define> read_defines(const Reader& reader) {
  std::vector<model::Define> defines;
  for (const std::string& name : reader.keys()) {
    const Reader value = reader.at(name);
    defines.push_back(make_define(value, name, value.text()));
  }
  return defines;
}

void settle_defines(const Reader& reader, const model::Problem& problem, model::Template& kernel) {
  const std::vector<std::string> known = known_names(problem, kernel);
  std::set<std::string> seen;
  const auto where = [&](const std::string& name) {
    if (const auto section = reader.find("defines")) {
      if (const auto item = section->find(name)) return *item;
    }
    return reader.at("genes");
  };
  for (model::Define& define : kernel.defines) {
    const Reader at = where(define.name);
    const model::Gene* gene = kernel.space.find(define.name);
    if (gene != nullptr && gene->is_macro()) {
      at.fail(
          fmt::format("{} is a gene, which is a macro by itself; give the gene as: none, or the define "
                      "another name",
                      define.name));
    }
    if (!seen.insert(define.name).second) at.fail(fmt::format("the macro {} is defined twice", define.name));
    auto parsed = model::Expression::parse(define.text, at.file(), at.line(), at.column());
    if (!parsed) continue;  // a text
    std::optional<std::string> unknown;
    for (const std::string& name : parsed->names()) {
      if (std::find(known.begin(), known.end(), name) == known.end()) unknown = name;
    }
    if (!unknown) {
      define.value = std::move(*parsed);
      continue;
    }
    if (parsed->names().size() > 1 || nearest(*unknown, known)) {
      at.fail(
          fmt::format("define {}: unknown name '{}'{}; a define's value is an expression over genes and "
                      "compile-time axes, or a text that names none of them",
                      define.name, *unknown, suggestion(*unknown, known)));
    }
  }
}

namespace {

/// Comments out the lines of `text` that define one of `ours`; a note for each.
void yield_in(std::string& text, const std::string& file, const std::set<std::string>& ours,
              std::vector<std::string>& notes) {
  std::string result, previous;
  std::istringstream lines(text);
  bool changed = false, dropping = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool ends_here = lines.eof() && !text.ends_with('\n');
    const std::vector<std::string> words = directive(line);
    std::string name = words.size() == 3 && words[1] == "define" ? words[2] : std::string();
    const bool object_like = name.find('(') == std::string::npos;
    const bool yields = !dropping && object_like && ours.contains(name) && !guards(previous, name);
    if (yields) {
      notes.push_back(fmt::format("{}:{}: '{}' yields: evo defines {} in this template", file, number,
                                  trimmed(line), name));
    }
    const bool goes_on = line.ends_with('\\');
    if (yields || dropping) {
      changed = true;
      // A comment that went on would take the next line with it.
      if (goes_on) line.pop_back();
      result += "// yields to evo: " + line;
      dropping = goes_on;
    } else {
      result += line;
    }
    if (!ends_here) result += '\n';
    if (!trimmed(line).empty()) previous = line;
  }
  if (changed) text = std::move(result);
}

}  // namespace

void yield_to_evo(const model::Problem& problem, model::Template& kernel) {
  const std::set<std::string> ours = macros_of(problem, kernel);
  if (ours.empty()) return;
  yield_in(kernel.source, kernel.source_file, ours, kernel.notes);
  for (auto& [name, text] : kernel.headers) yield_in(text, name, ours, kernel.notes);
}

}  // namespace evo::config
