#include "suites/seeded_bugs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "config/yaml_reader.hpp"

namespace evo::suites {
namespace {

using config::Invalid;
using config::Reader;

SeededBug read_bug(const Reader& reader) {
  reader.expect_keys({"id", "name", "template", "genes", "file", "old", "new", "gate", "reason", "cause",
                      "target", "needs_gpu"});
  SeededBug bug;
  bug.id = reader.at("id").text();
  bug.name = reader.at("name").text();
  bug.template_name = reader.at("template").text();
  if (const auto genes = reader.find("genes")) {
    for (const std::string& gene : genes->keys()) bug.genes.emplace_back(gene, genes->at(gene).value());
  }
  bug.file = reader.optional_text("file");
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
  const std::size_t at = text.find(bug.from);
  if (at == std::string::npos) return misfit(bug, file, "the text to be replaced is not there any more");
  if (text.find(bug.from, at + 1) != std::string::npos)
    return misfit(bug, file, "the text to be replaced stands there more than once");
  text.replace(at, bug.from.size(), bug.to);
  std::size_t same = 0;
  while (same < std::min(bug.from.size(), bug.to.size()) && bug.from[same] == bug.to[same]) ++same;
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at + same);
  return SeededPlace{file, 1 + static_cast<int>(std::count(text.begin(), end, '\n'))};
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
