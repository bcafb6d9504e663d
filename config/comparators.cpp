#include "config/comparators.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/problem_parts.hpp"

namespace evo::config {
namespace {

void read_kernel(const Reader& item, const std::vector<model::Template>& templates,
                 model::Comparator& comparator) {
  std::vector<std::string> known;
  for (const model::Template& kernel : templates) known.push_back(kernel.name);
  // Reports have rows of these names.
  for (const char* taken : {"baseline", "champion", "kernel", "launch floor"}) {
    if (comparator.name == taken)
      item.at("name").fail(
          fmt::format("{} is what reports call another row: give the kernel a name of its own", taken));
  }
  const std::string name = item.at("template").choice(known, "template");
  comparator.kind = model::ComparatorKind::kernel;
  comparator.kernel =
      std::make_shared<const model::Template>(*std::ranges::find(templates, name, &model::Template::name));
  const auto genes = item.find("genes");
  comparator.genome =
      genes ? read_genome(*genes, comparator.kernel->space) : comparator.kernel->space.initial();
}

void read_file(const Reader& file, const std::filesystem::path& folder, model::Comparator& comparator) {
  comparator.command = {file.text()};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder / comparator.command.front(), ignored))
    file.fail(fmt::format("the file {} cannot be read", (folder / comparator.command.front()).string()));
}

model::Comparator read_comparator(const Reader& item, const std::filesystem::path& folder,
                                  const std::vector<model::Template>& templates) {
  item.expect_keys(key_names(comparator_keys()));
  model::Comparator comparator;
  comparator.name = item.at("name").text();
  if (comparator.name.empty()) item.at("name").fail("a comparator needs a name, which reports show");
  const auto command = item.find("command");
  const auto python = item.find("python");
  const auto functions = item.find("functions");
  const auto kernel = item.find("template");
  const int kinds = int{command.has_value()} + int{python.has_value()} + int{functions.has_value()} +
                    int{kernel.has_value()};
  if (kinds != 1)
    item.fail(
        "a comparator is one of command: [PROGRAM, ...], python: FILE.py, functions: FILE.py and template: "
        "NAME");
  if (const auto genes = item.find("genes"); genes && !kernel)
    genes->fail("genes are those of a kernel: template: NAME");
  if (kernel) {
    read_kernel(item, templates, comparator);
  } else if (!command) {
    comparator.kind = python ? model::ComparatorKind::python : model::ComparatorKind::functions;
    read_file(python ? *python : *functions, folder, comparator);
  } else {
    if (!command->is_sequence() || command->items().empty())
      command->fail("a command is a list of words: [./compare, --fast]");
    for (const Reader& word : command->items()) comparator.command.push_back(word.text());
  }
  return comparator;
}

}  // namespace

std::vector<model::Comparator> read_comparators(const Reader& root, const std::filesystem::path& folder,
                                                const std::vector<model::Template>& templates) {
  std::vector<model::Comparator> comparators;
  const auto section = root.find("comparators");
  if (!section) return comparators;
  for (const Reader& item : section->items()) {
    model::Comparator comparator = read_comparator(item, folder, templates);
    const bool twice =
        std::any_of(comparators.begin(), comparators.end(),
                    [&](const model::Comparator& other) { return other.name == comparator.name; });
    if (twice) item.at("name").fail(fmt::format("there are two comparators of the name {}", comparator.name));
    comparators.push_back(std::move(comparator));
  }
  return comparators;
}

}  // namespace evo::config
