#include "config/template_source.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "config/compile_options.hpp"
#include "config/define_loader.hpp"
#include "config/gene_loader.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "model/file_name.hpp"

namespace evo::config {
namespace {

namespace fs = std::filesystem;

/// {NAME} of the entry, and genes that reach the compiler there only.
void check_entry(const Reader& reader, const model::Problem& problem, const model::Template& kernel) {
  std::vector<std::string> known;
  for (const model::Gene& gene : kernel.space.genes()) known.push_back(gene.name);
  for (const model::Axis& axis : problem.axes) {
    if (axis.compile_time) known.push_back(axis.name);
  }
  const auto place = [&](std::size_t launch) {
    const auto launches = reader.find("launches");
    return launches ? launches->items().at(launch).at("entry") : reader.at("entry");
  };
  std::vector<std::string> entries{kernel.entry};
  for (const model::LaunchModel& later : kernel.later_launches) entries.push_back(later.entry);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t at = entries[i].find('{'); at != std::string::npos; at = entries[i].find('{', at + 1)) {
      const std::size_t end = entries[i].find('}', at);
      if (end == std::string::npos) continue;
      const std::string name = entries[i].substr(at + 1, end - at - 1);
      if (is_macro_name(name) && std::find(known.begin(), known.end(), name) == known.end())
        place(i).fail(
            fmt::format("{{{}}} is no gene and no compile-time axis{}", name, suggestion(name, known)));
    }
  }
  for (const model::Gene& gene : kernel.space.genes()) {
    const bool named = std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
      return entry.find("{" + gene.name + "}") != std::string::npos;
    });
    if (gene.use != model::GeneUse::entry || named) continue;
    reader.at("genes").at(gene.name).fail(
        fmt::format("as: template needs {{{}}} in the entry, as in entry: \"{}<{{{}}}>\"", gene.name,
                    kernel.entry.substr(0, kernel.entry.find_first_of("<(")), gene.name));
  }
}

void check_shapes(const Reader& reader, const model::Problem& problem, const model::Template& kernel) {
  std::vector<std::string> known;
  for (const model::Axis& axis : problem.axes) known.push_back(axis.name);
  for (const model::Gene& gene : kernel.space.genes()) known.push_back(gene.name);
  if (kernel.domain.empty()) return;
  const std::vector<Reader> items = reader.at("shapes").items();
  for (std::size_t i = 0; i < kernel.domain.size(); ++i) {
    for (const std::string& name : kernel.domain[i].condition.names()) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        items[i].fail(fmt::format("unknown name '{}'{}", name, suggestion(name, known)));
    }
  }
}

/// "file.cu:81", of the source or one of its headers.
void read_unreached(const Reader& section, model::Template& kernel) {
  std::vector<std::string> files{kernel.source_file};
  for (const auto& [name, text] : kernel.headers) files.push_back(name);
  for (const std::string& place : section.keys()) {
    const Reader reason = section.at(place);
    const std::size_t colon = place.rfind(':');
    const std::string line = colon == std::string::npos ? std::string() : place.substr(colon + 1);
    const bool number =
        !line.empty() && line.size() < 8 && line[0] != '0' &&
        std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!number)
      reason.fail(fmt::format("expected FILE:LINE, as in \"{}:81\", not '{}'", kernel.source_file, place));
    const std::string file = place.substr(0, colon);
    if (std::find(files.begin(), files.end(), file) == files.end())
      reason.fail(
          fmt::format("'{}' is neither the source nor one of its headers{}", file, suggestion(file, files)));
    if (reason.text().empty()) reason.fail("say why no launch reaches the line");
    kernel.unreached[place] = reason.text();
  }
}

}  // namespace

fs::path read_template_source(const Reader& source, const fs::path& folder, model::Template& kernel) {
  if (source.is_map()) {
    source.expect_keys({"command"});
    const Reader command = source.at("command");
    for (const Reader& word : command.items()) kernel.generator_command.push_back(word.text());
    if (kernel.generator_command.empty() || kernel.generator_command.front().empty())
      command.fail("expected a program and its arguments, as in [python3, gen.py]");
    kernel.source_file = "generated.cu";
    return folder;
  }
  const fs::path file = folder / source.text();
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file, ignored))
    source.fail(fmt::format("the file {} cannot be read", file.string()));
  std::stringstream text;
  text << stream.rdbuf();
  kernel.source = text.str();
  kernel.source_file = model::plain_file_name(source.text());
  return file.parent_path();
}

void read_template_settings(const Reader& reader, const fs::path& folder, model::Template& kernel) {
  if (const auto defines = reader.find("defines")) {
    std::vector<model::Define> own = read_defines(*defines);
    kernel.defines.insert(kernel.defines.begin(), own.begin(), own.end());
  }
  if (const auto options = reader.find("options")) read_options(*options, folder.string(), kernel);
  if (const auto shapes = reader.find("shapes")) kernel.domain = read_constraints(*shapes);
  if (const auto unreached = reader.find("unreached")) read_unreached(*unreached, kernel);
}

void settle_template(const Reader& reader, const model::Problem& problem, model::Template& kernel) {
  settle_defines(reader, problem, kernel);
  check_entry(reader, problem, kernel);
  check_shapes(reader, problem, kernel);
  yield_to_evo(problem, kernel);
}

std::vector<model::Constraint> read_constraints(const Reader& reader) {
  std::vector<model::Constraint> constraints;
  for (const Reader& item : reader.items()) {
    if (item.is_scalar()) {
      constraints.push_back({item.expression(), {}});
      continue;
    }
    item.expect_keys(key_names(constraint_keys()));
    constraints.push_back({item.at("require").expression(), item.optional_text("reason")});
  }
  return constraints;
}

}  // namespace evo::config
