#include "suites/seeded_bugs.hpp"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "config/yaml_reader.hpp"
#include "suites/source_edit.hpp"

namespace evo::suites {
namespace {

using config::Invalid;
using config::Reader;

SeededBug read_bug(const Reader& reader) {
  reader.expect_keys({"id", "name", "template", "genes", "file", "at", "old", "new", "gate", "reason",
                      "cause", "target", "needs_gpu"});
  SeededBug bug;
  bug.id = reader.at("id").text();
  bug.name = reader.at("name").text();
  bug.template_name = reader.at("template").text();
  if (const auto genes = reader.find("genes")) {
    for (const std::string& gene : genes->keys()) bug.genes.emplace_back(gene, genes->at(gene).value());
  }
  bug.file = reader.optional_text("file");
  bug.at = reader.optional_text("at");
  bug.from = reader.at("old").text();
  bug.to = reader.at("new").text();
  if (bug.from == bug.to) reader.at("new").fail("the edit changes nothing");
  bug.gate = reader.at("gate").text();
  bug.reasons = reader.at("reason").alternatives();
  if (const auto cause = reader.find("cause")) bug.causes = cause->alternatives();
  if (const auto target = reader.find("target")) bug.target = target->text();
  bug.needs_gpu = reader.optional_text("needs_gpu");
  return bug;
}

tl::unexpected<model::Error> misfit(const SeededBug& bug, const std::string& file,
                                    const std::string& message) {
  return tl::make_unexpected(model::Error{fmt::format("bug '{}': {}", bug.name, message), file});
}

}  // namespace

model::Expected<SeededBugs> load_seeded_bugs(const std::string& file) {
  try {
    const Reader reader = Reader::load(file);
    reader.expect_keys({"problem", "bugs"});
    SeededBugs table;
    const auto folder = std::filesystem::absolute(file).parent_path() / reader.at("problem").text();
    table.problem = folder.lexically_normal().string();
    std::set<std::string> names;
    for (const Reader& item : reader.at("bugs").items()) {
      table.bugs.push_back(read_bug(item));
      if (!names.insert(table.bugs.back().name).second)
        item.fail("there are two bugs called '" + table.bugs.back().name + "'");
    }
    return table;
  } catch (const Invalid& invalid) {
    return tl::make_unexpected(invalid.error);
  }
}

model::Expected<SeededPlace> seed_bug(model::Template& kernel, const SeededBug& bug) {
  const std::string file = bug.file.empty() ? kernel.source_file : bug.file;
  const auto header = kernel.headers.find(file);
  if (file != kernel.source_file && header == kernel.headers.end())
    return misfit(bug, file, fmt::format("template {} has no such file", kernel.name));
  std::string& text = file == kernel.source_file ? kernel.source : header->second;
  auto edited = apply_edit(text, {bug.from, bug.to, bug.at});
  if (!edited) return misfit(bug, file, edited.error().message);
  text = std::move(edited->text);
  return SeededPlace{file, edited->line};
}

model::Expected<model::Genome> genome_of(const model::Template& kernel, const SeededBug& bug) {
  model::Genome genome = kernel.space.initial();
  for (const auto& [name, value] : bug.genes) {
    const model::Gene* gene = kernel.space.find(name);
    if (gene == nullptr || !gene->index_of(value))
      return misfit(bug, kernel.name, fmt::format("there is no {}={}", name, model::to_string(value)));
    genome.set(name, value);
  }
  return genome;
}

}  // namespace evo::suites
