#include "config/comparators.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/keys.hpp"

namespace evo::config {
namespace {

model::Comparator read_comparator(const Reader& item, const std::filesystem::path& folder) {
  item.expect_keys(key_names(comparator_keys()));
  model::Comparator comparator;
  comparator.name = item.at("name").text();
  if (comparator.name.empty()) item.at("name").fail("a comparator needs a name, which reports show");
  const auto command = item.find("command");
  const auto python = item.find("python");
  const auto functions = item.find("functions");
  if (int{command.has_value()} + int{python.has_value()} + int{functions.has_value()} != 1)
    item.fail("a comparator is one of command: [PROGRAM, ...], python: FILE.py and functions: FILE.py");
  if (!command) {
    const Reader& file = python ? *python : *functions;
    comparator.kind = python ? model::ComparatorKind::python : model::ComparatorKind::functions;
    comparator.command = {file.text()};
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(folder / comparator.command.front(), ignored))
      file.fail(fmt::format("the file {} cannot be read", (folder / comparator.command.front()).string()));
    return comparator;
  }
  if (!command->is_sequence() || command->items().empty())
    command->fail("a command is a list of words: [./compare, --fast]");
  for (const Reader& word : command->items()) comparator.command.push_back(word.text());
  return comparator;
}

}  // namespace

std::vector<model::Comparator> read_comparators(const Reader& root, const std::filesystem::path& folder) {
  std::vector<model::Comparator> comparators;
  const auto section = root.find("comparators");
  if (!section) return comparators;
  for (const Reader& item : section->items()) {
    model::Comparator comparator = read_comparator(item, folder);
    const bool twice =
        std::any_of(comparators.begin(), comparators.end(),
                    [&](const model::Comparator& other) { return other.name == comparator.name; });
    if (twice) item.at("name").fail(fmt::format("there are two comparators of the name {}", comparator.name));
    comparators.push_back(std::move(comparator));
  }
  return comparators;
}

}  // namespace evo::config
